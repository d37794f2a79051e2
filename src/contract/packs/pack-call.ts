import type { Json, JsonObject } from '../../lib/json/json.ts';

/**
 * An action of a pack from npm. `auth` and `props` are in the form of the package; a text of `props` that is
 * a key of `files` stands for the file.
 */
export type PackCall = {
  pack: { name: string; version: string; integrity: string };
  /** The name of the action, or of the trigger when `trigger` is set. */
  operation: string;
  /**
   * Calls a function of a trigger instead of an action. `state`: what it kept after its last call. The result
   * is a PackTriggerResult.
   */
  trigger?: { hook: 'enable' | 'poll'; state: JsonObject };
  /** Loads what a field accepts instead of running an action. The result is a LoadedPackChoices. */
  choices?: { of: 'action' | 'trigger'; property: string; search: string };
  auth: Json;
  props: JsonObject;
  files: ReadonlyMap<string, { name: string; bytes: Uint8Array }>;
};

/** `items` is empty for `enable`. */
export type PackTriggerResult = { items: Json[]; state: JsonObject };
