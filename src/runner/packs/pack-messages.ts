import type { PackTriggerHook } from '../../contract/packs/pack-call.ts';

/*
 * Messages between the service and the process of a pack, as frames. The process runs code of others, so the
 * service validates each field of a response.
 */

/** A request. `load` is the first one; its text is the source of the pack. */
export type PackRequest =
  | {
      kind: 'load';
      id: number;
      /** The Unix socket through which connections leave, and the token that it requires. */
      proxyPath: string;
      token: string;
      /** Certificate authorities in PEM that the service trusts in addition to those of Node.js. */
      authorities: readonly string[];
    }
  | { kind: 'list'; id: number }
  /** Its text is `PackInput` as JSON. */
  | {
      kind: 'run';
      id: number;
      operation: string;
      /** A function of a trigger; null: an action. */
      hook: PackTriggerHook | null;
      /** Bytes of JSON. */
      maxOutput: number;
    }
  /** Verifies and reads a request to the address of the pack. Its text is `PackAppInput` as JSON. */
  | { kind: 'app_request'; id: number; maxOutput: number }
  /** Loads the choices of a property. Its text is `PackInput` as JSON. */
  | {
      kind: 'choices';
      id: number;
      operation: string;
      of: 'action' | 'trigger';
      property: string;
      search: string;
      maxOptions: number;
      /** Bytes of JSON. */
      maxOutput: number;
    };

/** `props` by the names of the pack. `files` by a text that stands for the file in `props`. */
export type PackInput = {
  auth: unknown;
  props: unknown;
  files: Readonly<Record<string, { name: string; data: string }>>;
  /** Of a trigger: what it kept after its last call. */
  state: Readonly<Record<string, unknown>>;
  /** Of a trigger that receives requests. */
  webhookUrl?: string;
  payload?: unknown;
};

export type PackAppInput = { url: string; secret: string; payload: unknown };

/** The text of a `done`: a value, and the action's files in base64, which the value refers to by `id`. */
export type PackOutput = { value: unknown; files: { id: string; name: string; data: string }[] };

export type PackResponse =
  | { kind: 'ready' }
  /** Its text is the result as JSON. */
  | { kind: 'done'; id: number }
  | { kind: 'failed'; id: number; message: string; status: number | null; body: unknown };

/** Maximum length of an error message in characters. */
export const MAX_PACK_MESSAGE_LENGTH = 4_000;
/** Maximum length of the body of an error in characters of JSON. */
export const MAX_PACK_ERROR_BODY_LENGTH = 64 * 1024;
/** Maximum size of what a trigger keeps between two polls, in bytes of JSON. */
export const MAX_TRIGGER_STATE_LENGTH = 256 * 1024;
/** Maximum number of events that a trigger names. */
export const MAX_LISTENERS = 100;
/** Maximum size of the header of a frame, in bytes. */
export const MAX_PACK_HEADER_BYTES = 6 * (MAX_PACK_MESSAGE_LENGTH + MAX_PACK_ERROR_BODY_LENGTH) + 4_096;
/** Marks a file in the input and in the output of an action. */
export const FILE_MARK = 'weft-file:';
/** Bytes of the length before the head of a connection, and of the head itself. */
export const PROXY_PREFIX_BYTES = 2;
export const MAX_PROXY_HEADER_BYTES = 1_024;
/** The number of the pipe on which the process responds: packs print to the standard ones. */
export const RESPONSE_PIPE = 3;
