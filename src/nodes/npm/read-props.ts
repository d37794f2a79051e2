import { randomUUID } from 'node:crypto';
import type { FileReference } from '../../contract/byte-source.ts';
import type { NodeContext } from '../../contract/node-type.ts';
import { MAX_CALL_FILE_BYTES } from '../../contract/packs/npm-packs.ts';
import type { NpmProperty } from '../../contract/packs/npm-properties.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { nameFields, type PropertyField } from './action-fields.ts';

export type InputFiles = Map<string, { name: string; bytes: Uint8Array }>;

/** The message of a failure for a field of the configuration. */
export class FieldFailure extends Error {
  readonly field: string;
  constructor(field: string, issue: string) {
    super(issue);
    this.field = field;
  }
}

/** The properties of an action by the names of the package, with the defaults of those that have no value. */
export async function readProps(
  ctx: NodeContext,
  fields: readonly PropertyField[],
  config: JsonObject,
  place: string,
  files: InputFiles,
): Promise<JsonObject> {
  const props: [string, Json][] = [];
  for (const { field, property } of fields) {
    const value = config[field] ?? property.default;
    if (value !== null)
      props.push([property.name, await readValue(ctx, property, value, `${place}${field}`, files)]);
  }
  return Object.fromEntries(props);
}

async function readValue(
  ctx: NodeContext,
  { kind, properties }: NpmProperty,
  value: Json,
  place: string,
  files: InputFiles,
): Promise<Json> {
  if (kind === 'file') return readFile(ctx, value, place, files);
  if (kind !== 'list' || properties.length === 0 || !Array.isArray(value)) return value;
  const fields = nameFields(properties);
  const list: Json[] = [];
  for (const [i, one] of value.entries())
    list.push(isObject(one) ? await readProps(ctx, fields, one, `${place}[${i}].`, files) : one);
  return list;
}

async function readFile(ctx: NodeContext, value: Json, place: string, files: InputFiles): Promise<Json> {
  if (!isObject(value) || !isObject(value['$file']))
    throw new FieldFailure(place, 'must be a file of the execution: {"$file": …}');
  const { name, size } = value['$file'];
  const used = [...files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (typeof size !== 'number' || used + size > MAX_CALL_FILE_BYTES)
    throw new FieldFailure(place, `must have at most ${MAX_CALL_FILE_BYTES} bytes, all files together`);
  const file = await ctx.files.open(value as FileReference);
  if (file === null) throw new FieldFailure(place, 'is not a file of this execution');
  const pieces: Uint8Array[] = [];
  for await (const piece of file.read()) pieces.push(piece);
  const id = `weft-file:${randomUUID()}`;
  files.set(id, { name: typeof name === 'string' ? name : 'file', bytes: Buffer.concat(pieces) });
  return id;
}
