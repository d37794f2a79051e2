import { validate } from '../../contract/validate.ts';
import { createValidationError } from '../../contract/errors.ts';
import { ClientMessageHead, clientMessages, type ClientMessage } from '../../contract/requests/websocket.ts';
import { parseJsonBody } from '../http/json-body.ts';

/** A complete message; the library has joined its frames and checked that text is valid UTF-8. */
export type RawMessage = { readonly bytes: Buffer; readonly isBinary: boolean };

/** @throws {WeftError} VALIDATION_ERROR when the bytes are not a valid client message. */
export function readClientMessage({ bytes, isBinary }: RawMessage): ClientMessage {
  if (isBinary) throw createValidationError([{ field: 'message', issue: 'must be text, not binary' }]);
  if (bytes.length === 0)
    throw createValidationError([{ field: 'body', issue: 'is empty; it must be JSON' }]);
  const input = parseJsonBody(bytes);
  const { type } = validate(ClientMessageHead, input);
  return validate(clientMessages[type as ClientMessage['type']], input) as ClientMessage;
}
