import type { Json, JsonObject } from '../json/json.ts';
import { MIN_REDACTED_LENGTH, REDACTED } from './redact.ts';

/** Returns a copy with every string and every key redacted. Iterative, so that depth uses no stack. */
export function redactJson<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === 'string') return redact(value) as T;
  if (typeof value === 'number') return redactNumber(value, redact) as T;
  if (typeof value !== 'object' || value === null) return value;
  const whole = value as Container;
  const root = emptyLike(whole);
  const open: { from: Container; to: Container }[] = [{ from: whole, to: root }];
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    for (const [key, inner] of Object.entries(top.from)) {
      let result: Json = inner;
      if (typeof inner === 'string') result = redact(inner);
      else if (typeof inner === 'number') result = redactNumber(inner, redact);
      else if (typeof inner === 'object' && inner !== null) {
        const copy = emptyLike(inner);
        open.push({ from: inner, to: copy });
        result = copy;
      }
      if (Array.isArray(top.to)) top.to.push(result);
      else
        Object.defineProperty(top.to, redact(key), {
          value: result,
          enumerable: true,
          writable: true,
          configurable: true,
        });
    }
  }
  return root as T;
}

/**
 * A secret of digits may be returned as a number. Only an exact match is redacted: a partial match is a
 * coincidence.
 */
function redactNumber(value: number, redact: (text: string) => string): number | string {
  const text = String(value);
  return text.length >= MIN_REDACTED_LENGTH && redact(text) === REDACTED ? REDACTED : value;
}

type Container = Json[] | JsonObject;

function emptyLike(value: Container): Container {
  return Array.isArray(value) ? [] : {};
}
