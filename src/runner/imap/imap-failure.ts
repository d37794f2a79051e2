import type { ImapFlowError } from 'imapflow';
import type { NodeErrorType } from '../../contract/execution.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import { truncateText } from '../../lib/text/truncate.ts';
import { createConnectionFailure, httpFailure } from '../http/http-failure.ts';

/** Maximum length of a server reply in an error, in characters. */
const MAX_REPLY_LENGTH = 500;

const FAILURES: Readonly<Record<string, readonly [type: NodeErrorType, text: string]>> = {
  CONNECT_TIMEOUT: ['timeout', 'did not respond in time'],
  GREETING_TIMEOUT: ['timeout', 'did not respond in time'],
  UPGRADE_TIMEOUT: ['timeout', 'did not respond in time'],
  ETIMEOUT: ['timeout', 'did not respond in time'],
  LineTooLarge: ['limit', 'sent a response that is too large'],
  LiteralTooLarge: ['limit', 'sent a response that is too large'],
  ResponseTooLarge: ['limit', 'sent a response that is too large'],
  TooManyTokens: ['limit', 'sent a response that is too large'],
  TooManyResponses: ['limit', 'sent too many responses'],
  NoConnection: ['network', 'closed the connection'],
  EConnectionClosed: ['network', 'closed the connection'],
  StateLogout: ['network', 'closed the connection'],
  ClosedAfterConnectText: ['network', 'closed the connection'],
  ClosedAfterConnectTLS: ['network', 'closed the connection'],
  InvalidResponse: ['network', 'did not respond with IMAP'],
  UnexpectedTag: ['network', 'did not respond with IMAP'],
  MissingTag: ['network', 'did not respond with IMAP'],
  ResponseProcessingFailed: ['network', 'did not respond with IMAP'],
  MAX_IMAP_NESTING_REACHED: ['network', 'did not respond with IMAP'],
  STARTTLS_INJECTION: ['network', 'sent data before TLS started'],
};

/** Response codes of RFC 5530 and RFC 9051 after which the same request may succeed later. */
const TEMPORARY_CODES = new Set(['UNAVAILABLE', 'INUSE', 'SERVERBUG', 'LIMIT', 'CONTACTADMIN']);
const LOST_CODES = new Set(['NoConnection', 'EConnectionClosed']);
const MISSING_CODES = new Set(['NONEXISTENT', 'TRYCREATE']);

/**
 * Converts an error of the mail library to a typed failure. `server` is `host:port`. `missing` is the field
 * that names the mailbox of the command, for a failure that it does not exist.
 */
export function createImapFailure(server: string, error: unknown, missing = 'mailbox'): HttpFailure {
  if (error instanceof HttpFailure) return error;
  const found: Partial<ImapFlowError> = error instanceof Error ? error : {};
  const { code = '', serverResponseCode = '' } = found;
  const reply = toSingleLine(found.responseText ?? '');
  const withReply = (text: string): string => (reply === '' ? text : `${text}: ${reply}`);
  if (found.authenticationFailed === true && !TEMPORARY_CODES.has(serverResponseCode))
    return httpFailure(
      'client_error',
      withReply(`${server} rejected the user name, password or token`),
      false,
    );
  if (code === 'ETHROTTLE')
    return new HttpFailure({
      type: 'rate_limited',
      message: `${server} limits the rate of requests`,
      ...(found.throttleReset === undefined ? {} : { retryAfter: found.throttleReset }),
    });
  if (found.mailboxMissing === true || code === 'NotFound' || MISSING_CODES.has(serverResponseCode))
    return httpFailure('validation', withReply(`${missing}: does not exist on ${server}`), false);
  if (found.responseStatus === 'NO' || found.responseStatus === 'BAD')
    return TEMPORARY_CODES.has(serverResponseCode)
      ? httpFailure('server_error', withReply(`${server} cannot serve the request now`))
      : httpFailure('client_error', withReply(`${server} refused the request`), false);
  if (code.startsWith('ParserError')) return httpFailure('network', `${server} did not respond with IMAP`);
  const known = FAILURES[code];
  if (known !== undefined) return httpFailure(known[0], `${server} ${known[1]}`);
  if (found.tlsFailed === true && code === '')
    return httpFailure('network', `${server} offers no TLS, or no supported TLS version`, false);
  return createConnectionFailure(server, error);
}

/** Whether an error only says that the session has ended. */
export function isLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOST_CODES.has(String(error.code));
}

/** Server reply on one line with a limited length. */
function toSingleLine(words: string): string {
  return truncateText(words.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim(), MAX_REPLY_LENGTH);
}
