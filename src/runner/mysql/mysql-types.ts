import type { FieldPacket } from 'mysql2';
import { parseUpstreamJson } from '../../contract/json-input.ts';
import type { Json } from '../../lib/json/json.ts';

/** The number of the character set of binary data. */
const BINARY_CHARSET = 63;
const ENUM_FLAG = 256;
const SET_FLAG = 2_048;
/** Digits with which every 32-bit floating-point number is unambiguous. */
const MAX_FLOAT_DIGITS = 9;

type Type = { name: string; binary?: string };
/** Types by their number in the protocol. `binary`: the name with the character set of binary data. */
const types = new Map<number, Type>([
  [0x00, { name: 'decimal' }],
  [0x01, { name: 'tinyint' }],
  [0x02, { name: 'smallint' }],
  [0x03, { name: 'int' }],
  [0x04, { name: 'float' }],
  [0x05, { name: 'double' }],
  [0x06, { name: 'null' }],
  [0x07, { name: 'timestamp' }],
  [0x08, { name: 'bigint' }],
  [0x09, { name: 'mediumint' }],
  [0x0a, { name: 'date' }],
  [0x0b, { name: 'time' }],
  [0x0c, { name: 'datetime' }],
  [0x0d, { name: 'year' }],
  [0x0f, { name: 'varchar', binary: 'varbinary' }],
  [0x10, { name: 'bit' }],
  [0xf2, { name: 'vector' }],
  [0xf5, { name: 'json' }],
  [0xf6, { name: 'decimal' }],
  [0xf7, { name: 'enum' }],
  [0xf8, { name: 'set' }],
  [0xf9, { name: 'text', binary: 'blob' }],
  [0xfa, { name: 'text', binary: 'blob' }],
  [0xfb, { name: 'text', binary: 'blob' }],
  [0xfc, { name: 'text', binary: 'blob' }],
  [0xfd, { name: 'varchar', binary: 'varbinary' }],
  [0xfe, { name: 'char', binary: 'binary' }],
  [0xff, { name: 'geometry' }],
]);

/** The name of a column's type. MariaDB adds types such as `uuid`, and `json` as a format of text. */
export function typeName(field: FieldPacket): string {
  if (field.extendedFormat === 'json') return 'json';
  if (field.extendedTypeName !== undefined) return field.extendedTypeName;
  const flags = typeof field.flags === 'number' ? field.flags : 0;
  if ((flags & ENUM_FLAG) !== 0) return 'enum';
  if ((flags & SET_FLAG) !== 0) return 'set';
  const type = types.get(field.columnType ?? -1);
  if (type === undefined) return `type ${field.columnType}`;
  return field.characterSet === BINARY_CHARSET && type.binary !== undefined ? type.binary : type.name;
}

/**
 * Converts a value of the binary protocol to JSON without loss. `type` is the name of `typeName`.
 * @throws {HttpFailure} of type `limit` if a JSON value has too many parts.
 */
export function readValue(type: string, value: unknown): Json {
  if (Buffer.isBuffer(value)) return type === 'bit' ? readBits(value) : value.toString('base64');
  if (typeof value === 'number') return type === 'float' ? shortenFloat(value) : value;
  // NULL is null, and with the options of the session all other values are text.
  if (typeof value !== 'string') return null;
  if (type === 'json') return parseUpstreamJson(value) ?? value;
  if (type === 'datetime') return readDateTime(value, '');
  return type === 'timestamp' ? readDateTime(value, 'Z') : value;
}

/** Prepares a JSON value as a parameter; objects and lists are JSON text, and booleans are 1 and 0. */
export function writeValue(value: Json): string | number | null {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  // An integer as text has no decimal point, which LIMIT requires, and keeps all digits of a bigint.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : value;
  return JSON.stringify(value);
}

/** Zero dates (`0000-00-00`) are no dates and are returned unchanged. */
function readDateTime(text: string, zone: string): string {
  return /^\d{4}-(?!00)\d\d-(?!00)\d\d \d\d:\d\d:\d\d(?:\.\d+)?$/.test(text)
    ? `${text.replace(' ', 'T')}${zone}`
    : text;
}

function readBits(bytes: Buffer): Json {
  const value = BigInt(`0x${bytes.toString('hex') || '0'}`);
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);
}

/** The shortest decimal number that is the same 32-bit number: 0.1, not 0.10000000149011612. */
function shortenFloat(value: number): number {
  for (let digits = 6; digits < MAX_FLOAT_DIGITS; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}
