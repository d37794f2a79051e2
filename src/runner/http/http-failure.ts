import type { NodeErrorType } from '../../contract/execution.ts';
import { HttpFailure } from '../../contract/node-type.ts';

export function httpFailure(type: NodeErrorType, message: string, retryable?: boolean): HttpFailure {
  return new HttpFailure({ type, message, ...(retryable === undefined ? {} : { retryable }) });
}

/** Progress of a request, for failure messages. `announced` null: the response has no Content-Length. */
export type Progress = {
  host: string;
  /** `memory`: the response body waits for memory. */
  at: 'connection' | 'response' | 'body' | 'memory';
  received: number;
  announced: number | null;
};

const TIMEOUT_CODES = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

const NETWORK_TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection',
  EPIPE: 'closed the connection',
  UND_ERR_SOCKET: 'closed the connection',
  ENOTFOUND: 'could not be resolved',
  EAI_AGAIN: 'could not be resolved',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  EADDRNOTAVAIL: 'cannot be reached',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'sent a body that does not match its Content-Length',
  UND_ERR_HEADERS_OVERFLOW: 'sent too many headers',
};

/**
 * Converts a connection error to a typed failure. `progress` is how far the request had come. The original
 * message is dropped because it may contain addresses.
 */
export function createConnectionFailure(host: string, error: unknown, progress?: Progress): HttpFailure {
  if (error instanceof HttpFailure) return error;
  const code = readCode(error);
  if (TIMEOUT_CODES.has(code)) return httpFailure('timeout', `${host} did not respond in time`);
  if (code === 'UND_ERR_INVALID_ARG')
    return httpFailure('validation', `The request to ${host} is invalid and cannot be sent`);
  if (isMalformed(error, code, progress))
    return httpFailure(
      'network',
      `${host} did not respond with valid HTTP${code.startsWith('HPE_') ? ` (${code})` : ''}`,
    );
  const text = NETWORK_TEXTS[code];
  if (text !== undefined)
    return httpFailure(
      'network',
      `${host} ${text}${DISCONNECT_CODES.has(code) ? describeProgress(progress) : ''}`,
    );
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return httpFailure('network', `${host} could not be reached securely (${code})`);
  return httpFailure('network', `The connection to ${host} failed${code === '' ? '' : ` (${code})`}`);
}

/** Whether the pool reports a malformed response, including contradictory lengths and an unrequested 100. */
function isMalformed(error: unknown, code: string, progress: Progress | undefined): boolean {
  if (code.startsWith('HPE_')) return true;
  if (!(error instanceof Error)) return false;
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return progress?.at === 'response';
  return error.name === 'HTTPParserError' || (code === 'UND_ERR_SOCKET' && error.message === 'bad response');
}

const DISCONNECT_CODES = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);

/** Describes where the request ended, as the end of a sentence. */
export function describeProgress(progress: Progress | undefined): string {
  if (progress === undefined || progress.at === 'connection') return '';
  if (progress.at === 'response') return ' before responding';
  const { received, announced } = progress;
  return announced === null
    ? ` during the response, after ${received} bytes`
    : ` during the response, after ${received} of ${announced} bytes`;
}

function readCode(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return readCode(error.errors[0]);
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  return typeof code === 'string' ? code : '';
}
