import type { NodeErrorType } from '../../contract/execution.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json/json.ts';
import { truncateText } from '../../lib/text/truncate.ts';
import { createConnectionFailure, httpFailure } from '../http/http-failure.ts';

const MAX_MESSAGE_LENGTH = 1_000;

/** Temporary errors by number: the ones of MySQL, and those of MariaDB from 1900 to 1999. */
const TEMPORARY_ERRORS: Readonly<Record<number, NodeErrorType>> = {
  1021: 'server_error',
  1037: 'server_error',
  1038: 'server_error',
  1040: 'server_error',
  1041: 'server_error',
  1053: 'server_error',
  1158: 'network',
  1159: 'network',
  1160: 'network',
  1161: 'network',
  1203: 'server_error',
  1205: 'server_error',
  1213: 'server_error',
  1317: 'timeout',
  1927: 'server_error',
  1969: 'timeout',
  3024: 'timeout',
  3168: 'server_error',
};
const CLOSED_CODES = new Set(['PROTOCOL_CONNECTION_LOST', 'ECONNRESET', 'EPIPE']);

/**
 * Converts an error of a MySQL server or of its connection (`host:port`) to a typed failure. For a server
 * error, `data` contains its name, number and SQLSTATE. Deadlocks and lock timeouts are temporary; errors of
 * the statement or its data are permanent and never retried.
 */
export function createMysqlFailure(server: string, error: unknown): HttpFailure {
  if (error instanceof HttpFailure) return error;
  const fields = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const text = (name: string): string => {
    const value = fields[name];
    return typeof value === 'string' ? truncateText(value, MAX_MESSAGE_LENGTH) : '';
  };
  const code = text('code');
  const number = fields['errno'];
  if (typeof number === 'number' && text('sqlMessage') !== '') {
    const type = TEMPORARY_ERRORS[number] ?? 'client_error';
    const data: Record<string, Json> = { code: code || String(number), errno: number };
    if (text('sqlState') !== '') data['sql_state'] = text('sqlState');
    return new HttpFailure({
      type,
      message: `${server}: ${text('sqlMessage')} (${code || number})`,
      ...(type === 'client_error' ? { retryable: false } : {}),
      data,
    });
  }
  if (CLOSED_CODES.has(code)) return httpFailure('network', `${server} closed the connection`);
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') return httpFailure('network', `${server} offers no TLS`, false);
  if (code === 'HANDSHAKE_SSL_ERROR')
    return httpFailure(
      'network',
      `${server} could not be reached securely: ${text('message') || 'TLS failed'}`,
    );
  if (code.startsWith('AUTH_SWITCH'))
    return httpFailure('client_error', `${server} requires an authentication that is not supported`, false);
  if (/^(?:HANDSHAKE|PROTOCOL)_/.test(code) || code === '' || code.startsWith('ERR_'))
    return httpFailure('network', `${server} did not respond with valid MySQL messages`);
  return createConnectionFailure(server, error);
}
