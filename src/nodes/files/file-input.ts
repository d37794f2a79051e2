import type { StoredFile } from '../../contract/byte-source.ts';
import type { NodeContext } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json/json.ts';
import { DataError } from '../data/data-error.ts';
import { describeType } from '../data/items.ts';
import { isFileReference } from '../http/file-field.ts';

/** Opens a file of the execution. `field` is the configuration field of the value. @throws {DataError} */
export async function openFile(ctx: NodeContext, value: Json, field: string): Promise<StoredFile> {
  if (!isFileReference(value))
    throw new DataError(field, `must be a file ({"$file": …}), not ${describeType(value)}`);
  const file = await ctx.files.open(value);
  if (file === null) throw new DataError(field, `must be a file of this execution, not ${value.$file.id}`);
  return file;
}
