import { check } from '../../contract/check.ts';
import { WeftError, validationError } from '../../contract/errors.ts';
import { ClientMessageHead, clientMessages, type ClientMessage } from '../../contract/schemas-socket.ts';
import { parseJsonBody } from '../rest/json-body.ts';

/** A message as it arrived: the library has put its frames together and seen to it that a text is UTF-8. */
export type RawMessage = { readonly bytes: Buffer; readonly isBinary: boolean };

/** @throws {WeftError} INVALID_JSON; VALIDATION_ERROR for anything that is none of the messages a client may send. */
export function readClientMessage({ bytes, isBinary }: RawMessage): ClientMessage {
  if (isBinary) throw validationError([{ field: 'message', issue: 'must be text, not binary' }]);
  const input = parse(bytes);
  const { type } = check(ClientMessageHead, input);
  return check(clientMessages[type as ClientMessage['type']], input) as ClientMessage;
}

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) throw invalidJson({ issue: 'is empty' });
  try {
    return parseJsonBody(bytes);
  } catch (error) {
    if (error instanceof WeftError && error.code === 'INVALID_JSON') throw invalidJson(error.details);
    throw error;
  }
}

function invalidJson(details: Record<string, unknown>): WeftError {
  return new WeftError('INVALID_JSON', 'The message is not valid JSON.', details);
}
