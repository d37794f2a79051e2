import { truncateText } from '../../lib/text/truncate.ts';
import type { NodeErrorType } from '../../contract/execution.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import { createConnectionFailure, httpFailure } from '../http/http-failure.ts';

/** Maximum length of a server reply in an error, in characters. */
const MAX_REPLY_LENGTH = 500;

/** Error types for errors of the mail library without a server reply. */
const FAILURE_TYPES: Readonly<Record<string, NodeErrorType>> = {
  ETIMEDOUT: 'timeout',
  ECONNECTION: 'network',
  ESOCKET: 'network',
  EPROTOCOL: 'network',
  ETLS: 'network',
};

/**
 * Converts an error of an SMTP server (`host:port`) or of its connection to a typed failure. According to RFC
 * 5321, a 4xx is temporary (`server_error`) and a 5xx permanent (`client_error`, never retried). `status` is
 * that code.
 */
export function createSmtpFailure(server: string, error: unknown): HttpFailure {
  if (error instanceof HttpFailure) return error;
  const { code, cause, status, words, message } = readDetails(error);
  if (code !== 'ETLS' && status !== null && status >= 400 && status < 600) {
    const what = code === 'EAUTH' ? 'rejected the user name or password' : `responded with ${status}`;
    return new HttpFailure({
      type: status < 500 ? 'server_error' : 'client_error',
      message: words === '' ? `${server} ${what}` : `${server} ${what}: ${words}`,
      status,
      ...(status < 500 ? {} : { retryable: false }),
    });
  }
  if (code === 'ETLS' || code === 'ESOCKET' || code === 'ECONNECTION') {
    const reason = certificateReason(cause, message);
    if (reason !== null) return httpFailure('network', `${server} could not be reached securely (${reason})`);
    if (code === 'ETLS')
      return httpFailure('network', `${server} offers no TLS, or no supported TLS version`, false);
  }
  if (code === 'EAUTH' || code === 'ENOAUTH')
    return httpFailure('client_error', `${server} offers no supported authentication method`, false);
  if (code === 'EENVELOPE' || code === 'EMESSAGE')
    return httpFailure('client_error', `${server} cannot accept this email: ${toSingleLine(message)}`, false);
  const type = FAILURE_TYPES[code];
  if (type === 'timeout') return httpFailure('timeout', `${server} did not respond in time`);
  if (cause !== '') return createConnectionFailure(server, { code: cause });
  if (type === undefined) return createConnectionFailure(server, error);
  return httpFailure(
    type,
    `${server} ${code === 'EPROTOCOL' ? 'did not respond with SMTP' : 'closed the connection'}`,
  );
}

/** Returns the certificate error by its code, or by the one message that has no code. */
function certificateReason(cause: string, message: string): string | null {
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL/.test(cause)) return cause;
  const named =
    /does not match certificate|self-signed certificate|unable to verify|certificate has expired/i;
  return named.exec(message)?.[0] ?? null;
}

function readDetails(error: unknown): {
  code: string;
  cause: string;
  status: number | null;
  words: string;
  message: string;
} {
  const of = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const status = of['responseCode'];
  return {
    code: text(of['code']),
    cause: text(of['originalCode']),
    status: typeof status === 'number' ? status : null,
    words: toSingleLine(text(of['response']).replace(/^\d{3}[ -]/, '')),
    message: text(of['message']),
  };
}

/** Server reply on one line with a limited length. */
function toSingleLine(words: string): string {
  return truncateText(words.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim(), MAX_REPLY_LENGTH);
}
