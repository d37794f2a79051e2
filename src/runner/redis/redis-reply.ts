import type { Json, JsonObject } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import { httpFailure } from '../http/http-failure.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Converts a reply to JSON. Bulk strings arrive as buffers and integers as strings of digits. Text that is
 * not UTF-8 becomes {base64}, and an integer that no double holds a string. Iterative, because a script may
 * return deeply nested lists.
 * @throws {HttpFailure} if the reply is nested too deeply to be stored.
 */
export function readReply(reply: unknown): Json {
  if (!Array.isArray(reply)) return readPart(reply);
  const root: Json[] = [];
  const work: { from: readonly unknown[]; to: Json[]; depth: number }[] = [
    { from: reply, to: root, depth: 1 },
  ];
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const { from, to, depth } = item;
    if (depth > limits.valueDepth)
      throw httpFailure('limit', `The reply is nested more than ${limits.valueDepth} levels deep`, false);
    for (const part of from) {
      if (!Array.isArray(part)) to.push(readPart(part));
      else {
        const inner: Json[] = [];
        to.push(inner);
        work.push({ from: part, to: inner, depth: depth + 1 });
      }
    }
  }
  return root;
}

function readPart(part: unknown): Json {
  if (Buffer.isBuffer(part)) return readText(part);
  // A script may return an error as one of several values.
  if (part instanceof Error) return part.message;
  if (typeof part !== 'string') return null;
  return Number.isSafeInteger(Number(part)) ? Number(part) : part;
}

function readText(bytes: Buffer): string | JsonObject {
  try {
    return decoder.decode(bytes);
  } catch {
    return { base64: bytes.toString('base64') };
  }
}
