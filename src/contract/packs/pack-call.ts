import type { Json, JsonObject } from '../../lib/json/json.ts';

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
