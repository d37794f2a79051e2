import type { NodeErrorType } from '../../contract/execution.ts';
import { HttpFailure } from '../../contract/node-type.ts';

export function httpFailure(type: NodeErrorType, message: string, retryable?: boolean): HttpFailure {
  return new HttpFailure({ type, message, ...(retryable === undefined ? {} : { retryable }) });
}

/** How far an exchange came, for whoever tells of its failure; `announced` null: the answer does not say its length. */
export type Progress = {
  host: string;
  /** `room`: the rest of its body waits for room in memory. */
  at: 'connection' | 'answer' | 'body' | 'room';
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
  ECONNRESET: 'broke the connection',
  EPIPE: 'broke the connection',
  UND_ERR_SOCKET: 'broke the connection',
  ENOTFOUND: 'has no address',
  EAI_AGAIN: 'could not be looked up',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  EADDRNOTAVAIL: 'cannot be reached',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'sent less or more than it announced',
  UND_ERR_HEADERS_OVERFLOW: 'sent too many headers',
};

/**
 * What went wrong on the way to `host`, as a typed failure; `progress` says how far it had come. The original message stays
 * out: it may name addresses.
 */
export function connectionFailure(host: string, error: unknown, progress?: Progress): HttpFailure {
  if (error instanceof HttpFailure) return error;
  const code = codeOf(error);
  if (TIMEOUT_CODES.has(code)) return httpFailure('timeout', `${host} did not answer in time`);
  if (code === 'UND_ERR_INVALID_ARG')
    return httpFailure('validation', `The request to ${host} cannot be sent as it is`);
  if (isMalformed(error, code, progress))
    return httpFailure(
      'network',
      `${host} did not answer in HTTP${code.startsWith('HPE_') ? ` (${code})` : ''}`,
    );
  const text = NETWORK_TEXTS[code];
  if (text !== undefined)
    return httpFailure('network', `${host} ${text}${BREAKS.has(code) ? placeOf(progress) : ''}`);
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return httpFailure('network', `${host} could not be reached securely (${code})`);
  return httpFailure('network', `The connection to ${host} failed${code === '' ? '' : ` (${code})`}`);
}

/** The pool's ways to say that what came is no HTTP: also lengths that contradict each other, and a 100 that nobody asked for. */
function isMalformed(error: unknown, code: string, progress: Progress | undefined): boolean {
  if (code.startsWith('HPE_')) return true;
  if (!(error instanceof Error)) return false;
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return progress?.at === 'answer';
  return error.name === 'HTTPParserError' || (code === 'UND_ERR_SOCKET' && error.message === 'bad response');
}

const BREAKS = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/** Where in an exchange something ended, as the end of a sentence. */
export function placeOf(progress: Progress | undefined): string {
  if (progress === undefined || progress.at === 'connection') return '';
  if (progress.at === 'answer') return ' before it answered';
  const { received, announced } = progress;
  return announced === null
    ? ` in the middle of its answer, after ${received} bytes`
    : ` in the middle of its answer, after ${received} of ${announced} bytes`;
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  return typeof code === 'string' ? code : '';
}
