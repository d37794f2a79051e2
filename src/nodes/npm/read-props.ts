import { randomUUID } from 'node:crypto';
import type { FileReference } from '../../contract/byte-source.ts';
import type { NodeContext } from '../../contract/node-type.ts';
import { MAX_CALL_FILE_BYTES } from '../../contract/packs/npm-packs.ts';
import type { NpmProperty } from '../../contract/packs/npm-properties.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { nameFields, type PropertyField } from './action-fields.ts';

export type InputFiles = Map<string, { name: string; bytes: Uint8Array }>;

/** An invalid field of the configuration. */
export class FieldFailure extends Error {
  readonly field: string;
  constructor(field: string, issue: string) {
    super(issue);
    this.field = field;
  }
}

/**
 * Reads the properties of an action, keyed by the names of the package. A missing value is replaced by the
 * default.
 */
export async function readProps(
  ctx: NodeContext,
  fields: readonly PropertyField[],
  config: JsonObject,
  path: string,
  files: InputFiles,
): Promise<JsonObject> {
  const props: [string, Json][] = [];
  for (const { field, property } of fields) {
    const value = config[field] ?? property.default;
    if (value !== null)
      props.push([property.name, await readValue(ctx, property, value, `${path}${field}`, files)]);
  }
  return Object.fromEntries(props);
}

async function readValue(
  ctx: NodeContext,
  { kind, properties }: NpmProperty,
  value: Json,
  path: string,
  files: InputFiles,
): Promise<Json> {
  if (kind === 'file') return readFile(ctx, value, path, files);
  if (kind !== 'list' || properties.length === 0 || !Array.isArray(value)) return value;
  const fields = nameFields(properties);
  const list: Json[] = [];
  for (const [i, item] of value.entries())
    list.push(isObject(item) ? await readProps(ctx, fields, item, `${path}[${i}].`, files) : item);
  return list;
}

async function readFile(ctx: NodeContext, value: Json, path: string, files: InputFiles): Promise<Json> {
  if (!isObject(value) || !isObject(value['$file']))
    throw new FieldFailure(path, 'must be a file of the execution: {"$file": …}');
  const { name, size } = value['$file'];
  const used = [...files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (typeof size !== 'number' || used + size > MAX_CALL_FILE_BYTES)
    throw new FieldFailure(
      path,
      `must have at most ${MAX_CALL_FILE_BYTES} bytes together with the other files`,
    );
  const file = await ctx.files.open(value as FileReference);
  if (file === null) throw new FieldFailure(path, 'is not a file of this execution');
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.read()) chunks.push(chunk);
  const id = `weft-file:${randomUUID()}`;
  files.set(id, { name: typeof name === 'string' ? name : 'file', bytes: Buffer.concat(chunks) });
  return id;
}
