import type { NodeErrorType } from './execution.ts';
import type { Json } from '../lib/json/json.ts';

/** The programs that work on documents, each with the libraries of its formats. */
export type DocumentProgram = 'mail' | 'markup' | 'pdf' | 'spreadsheet';

/** Each call of `read` starts at the first byte. `size`, in bytes, is checked in advance if known. */
export type DocumentContent = Uint8Array | { readonly size?: number; read(): AsyncIterable<Uint8Array> };

/** Work on a document in a separate process. `task` is passed to the program. */
export type DocumentCall = { program: DocumentProgram; task: Json; content: DocumentContent };

/**
 * The bytes that the program wrote, or why there are none. `field` is the configuration field, and `issue`
 * completes a sentence that begins with it.
 */
export type DocumentResult =
  | { kind: 'done'; bytes: Uint8Array }
  | { kind: 'refused'; type: NodeErrorType; field: string; issue: string };
