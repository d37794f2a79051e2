import type { DocumentContent, DocumentResult } from '../../contract/documents.ts';
import { isObject, type Json } from '../../lib/json/json.ts';

/*
 * Protocol between the service and a program for documents. The request is a line with the task as JSON, and
 * the bytes of the document. The response is a line with its kind as JSON, and the bytes of the result.
 */

const LINE_FEED = 10;
const MAX_ISSUE_LENGTH = 1_000;
const REFUSAL_TYPES = ['validation', 'limit'] as const;

export async function* printRequest(task: Json, content: DocumentContent): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(`${JSON.stringify(task)}\n`);
  if (content instanceof Uint8Array) yield content;
  else yield* content.read();
}

export function parseRequest(request: Buffer): { task: Json; document: Buffer } {
  const end = request.indexOf(LINE_FEED);
  return {
    task: JSON.parse(request.toString('utf8', 0, end)) as Json,
    document: request.subarray(end + 1),
  };
}

/** The document cannot be processed. `issue` completes a sentence with the configuration field `field`. */
export class DocumentError extends Error {
  readonly type: (typeof REFUSAL_TYPES)[number];
  readonly field: string;
  constructor(issue: string, type: (typeof REFUSAL_TYPES)[number] = 'validation', field = 'value') {
    super(issue);
    this.type = type;
    this.field = field;
  }
}

export const RESULT_HEAD = '{"kind":"done"}\n';

export function printRefusal({ type, field, message }: DocumentError): string {
  return `${JSON.stringify({ kind: 'refused', type, field, issue: message.slice(0, MAX_ISSUE_LENGTH) })}\n`;
}

/** Validates the response, because the program handles untrusted input. Null: it is not valid. */
export function parseResponse(response: Buffer): DocumentResult | null {
  const end = response.indexOf(LINE_FEED);
  if (end < 0) return null;
  let head: Json;
  try {
    head = JSON.parse(response.toString('utf8', 0, end)) as Json;
  } catch {
    return null;
  }
  if (!isObject(head)) return null;
  const { kind, type, field, issue } = head;
  if (kind === 'done') return { kind, bytes: response.subarray(end + 1) };
  const known = REFUSAL_TYPES.find((name) => name === type);
  if (kind !== 'refused' || known === undefined || typeof field !== 'string' || typeof issue !== 'string')
    return null;
  return { kind, type: known, field: field.slice(0, 100), issue: issue.slice(0, MAX_ISSUE_LENGTH) };
}
