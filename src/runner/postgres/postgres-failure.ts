import { truncateText } from '../../lib/text/truncate.ts';
import type { NodeErrorType } from '../../contract/execution.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json/json.ts';
import { createConnectionFailure, httpFailure } from '../http/http-failure.ts';

const MAX_MESSAGE_LENGTH = 1_000;

/** Temporary errors by SQLSTATE, or by error class (the first two characters). */
const TEMPORARY_ERRORS: Readonly<Record<string, NodeErrorType>> = {
  '08': 'network',
  '40': 'server_error',
  '53': 'server_error',
  '55P03': 'server_error',
  '57014': 'timeout',
  '57P01': 'server_error',
  '57P02': 'server_error',
  '57P03': 'server_error',
  '58': 'server_error',
  XX: 'server_error',
};

/**
 * Converts an error of PostgreSQL or of its connection (`host:port`) to a typed failure. For a server error,
 * `data` contains the SQLSTATE as `code` and the objects it names. Transaction conflicts are temporary;
 * errors of the statement or its data are permanent and never retried.
 */
export function createPostgresFailure(server: string, error: unknown): HttpFailure {
  if (error instanceof HttpFailure) return error;
  const fields = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const text = (name: string): string | null => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' ? truncateText(value, MAX_MESSAGE_LENGTH) : null;
  };
  const code = text('code') ?? '';
  const message = text('message') ?? '';
  if (text('severity') !== null) {
    const type = TEMPORARY_ERRORS[code] ?? TEMPORARY_ERRORS[code.slice(0, 2)] ?? 'client_error';
    const data: Record<string, Json> = { code };
    for (const name of ['detail', 'hint', 'position', 'table', 'column', 'constraint'])
      if (text(name) !== null) data[name] = text(name);
    return new HttpFailure({
      type,
      message: `${server}: ${message} (${code})`,
      ...(type === 'client_error' ? { retryable: false } : {}),
      data,
    });
  }
  if (/timeout expired/.test(message)) return httpFailure('timeout', `${server} did not respond in time`);
  if (/does not support SSL|establishing an SSL/.test(message))
    return httpFailure('network', `${server} offers no TLS`, false);
  if (/SASL|SCRAM|password/i.test(message))
    return httpFailure('client_error', `${server} rejected the password`, false);
  if (/terminated|Client was closed|not queryable/.test(message))
    return httpFailure('network', `${server} closed the connection`);
  return createConnectionFailure(server, error);
}
