import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { NodeFailure } from '../node-type.ts';

/**
 * An action of a pack from npm. `auth` and `props` are in the form of the package; a text of `props` that is a
 * key of `files` stands for the file.
 */
export type PackCall = {
  pack: { name: string; version: string; integrity: string };
  operation: string;
  auth: Json;
  props: JsonObject;
  files: ReadonlyMap<string, { name: string; bytes: Uint8Array }>;
};
/**
 * `files`: those that the action wrote; a text of `value` that is an `id` stands for the file. `hasConnected`:
 * whether the action opened a connection, and may have had an effect, before it failed.
 */
export type PackCallResult =
  | { kind: 'value'; value: Json; files: readonly { id: string; name: string; bytes: Uint8Array }[] }
  | { kind: 'failed'; error: NodeFailure; hasConnected: boolean };
