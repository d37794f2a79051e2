import { parseUpstreamJson } from '../../contract/json-input.ts';
import type { Json } from '../../lib/json/json.ts';

type Kind = { name: string; read: (text: string) => Json };

const asText = (text: string): Json => text;
/** JSON cannot represent NaN and infinities, so they are returned as strings. */
const asNumber = (text: string): Json => {
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
};
/** @throws {HttpFailure} of type `limit` if a value has too many parts. */
const asJson = (text: string): Json => parseUpstreamJson(text) ?? text;
/** Converts `2026-01-01 12:00:00.123456+00`; infinity and years BC are returned unchanged. */
const asTimestamp = (text: string): Json =>
  /^\d{4,}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?:[+-]00)?$/.test(text)
    ? text.replace(' ', 'T').replace(/[+-]00$/, 'Z')
    : text;
const asBase64 = (text: string): Json =>
  text.startsWith('\\x') ? Buffer.from(text.slice(2), 'hex').toString('base64') : text;

/** Built-in types and their array types by object id. Other types are returned as text. */
const rows: [number, number, string, (text: string) => Json][] = [
  [16, 1000, 'bool', (text) => text === 't'],
  [17, 1001, 'bytea', asBase64],
  [18, 1002, 'char', asText],
  [19, 1003, 'name', asText],
  [20, 1016, 'int8', asText],
  [21, 1005, 'int2', asNumber],
  [23, 1007, 'int4', asNumber],
  [25, 1009, 'text', asText],
  [26, 1028, 'oid', asNumber],
  [114, 199, 'json', asJson],
  [142, 143, 'xml', asText],
  [650, 651, 'cidr', asText],
  [700, 1021, 'float4', asNumber],
  [701, 1022, 'float8', asNumber],
  [790, 791, 'money', asText],
  [829, 1040, 'macaddr', asText],
  [869, 1041, 'inet', asText],
  [1042, 1014, 'bpchar', asText],
  [1043, 1015, 'varchar', asText],
  [1082, 1182, 'date', asText],
  [1083, 1183, 'time', asText],
  [1114, 1115, 'timestamp', asTimestamp],
  [1184, 1185, 'timestamptz', asTimestamp],
  [1186, 1187, 'interval', asText],
  [1266, 1270, 'timetz', asText],
  [1560, 1561, 'bit', asText],
  [1562, 1563, 'varbit', asText],
  [1700, 1231, 'numeric', asText],
  [2950, 2951, 'uuid', asText],
  [3802, 3807, 'jsonb', asJson],
];
const kinds = new Map<number, Kind>(
  rows.flatMap(([oid, arrayOid, name, read]): [number, Kind][] => [
    [oid, { name, read }],
    [arrayOid, { name: `${name}[]`, read: (text) => readArray(text, read) }],
  ]),
);
const JSON_OIDS = new Set([114, 3802]);
const BYTEA = 17;

export function typeName(oid: number): string {
  return kinds.get(oid)?.name ?? `oid ${oid}`;
}

/** Converts PostgreSQL's text format to JSON without loss. */
export function readValue(oid: number, text: string): Json {
  return kinds.get(oid)?.read(text) ?? text;
}

/** Converts a JSON value to the text format of a parameter type; null is NULL. */
export function writeValue(oid: number, value: Json): string | null {
  if (JSON_OIDS.has(oid)) return value === null ? null : JSON.stringify(value);
  if (value === null) return null;
  if (oid === BYTEA && typeof value === 'string' && !value.startsWith('\\x'))
    return `\\x${Buffer.from(value, 'base64').toString('hex')}`;
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? writeArray(value) : JSON.stringify(value);
}

/** Iterative, because an array may be deeply nested. */
function writeArray(value: readonly Json[]): string {
  const parts: string[] = [];
  const open: { list: readonly Json[]; next: number }[] = [{ list: value, next: 0 }];
  parts.push('{');
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    if (top.next === top.list.length) {
      parts.push('}');
      open.pop();
      continue;
    }
    if (top.next > 0) parts.push(',');
    const element = top.list[top.next++] ?? null;
    if (Array.isArray(element)) {
      parts.push('{');
      open.push({ list: element, next: 0 });
    } else if (element === null) parts.push('NULL');
    else if (typeof element === 'number' || typeof element === 'boolean') parts.push(String(element));
    else {
      const text = typeof element === 'string' ? element : JSON.stringify(element);
      parts.push(`"${text.replaceAll(/["\\]/g, '\\$&')}"`);
    }
  }
  return parts.join('');
}

/**
 * Reads `{1,NULL,"a \"b\""}`, also nested. Explicit bounds (`[0:1]={…}`) are dropped because JSON cannot
 * represent them.
 */
function readArray(text: string, read: (text: string) => Json): Json {
  const start = text.indexOf('{');
  if (start === -1) return text;
  const stack: Json[][] = [[]];
  let word = '';
  let isQuoted = false;
  let hasWord = false;
  const end = (): void => {
    if (!hasWord) return;
    stack.at(-1)?.push(!isQuoted && word === 'NULL' ? null : read(word));
    word = '';
    hasWord = false;
    isQuoted = false;
  };
  for (let i = start; i < text.length; i++) {
    const char = text[i] ?? '';
    if (char === '"') {
      isQuoted = true;
      hasWord = true;
      for (i++; i < text.length && text[i] !== '"'; i++) {
        if (text[i] === '\\') i++;
        word += text[i] ?? '';
      }
    } else if (char === '{') stack.push([]);
    else if (char === '}') {
      end();
      const done = stack.pop() ?? [];
      stack.at(-1)?.push(done);
    } else if (char === ',') end();
    else {
      word += char;
      hasWord = true;
    }
  }
  return stack[0]?.[0] ?? [];
}
