import type { NodeErrorType } from '../../contract/execution.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import { truncateText } from '../../lib/text/truncate.ts';
import { createConnectionFailure, httpFailure } from '../http/http-failure.ts';

const MAX_MESSAGE_LENGTH = 1_000;

/** Temporary errors by the first word of the reply. */
const TEMPORARY_ERRORS: Readonly<Record<string, NodeErrorType>> = {
  BUSY: 'server_error',
  CLUSTERDOWN: 'server_error',
  LOADING: 'server_error',
  MASTERDOWN: 'server_error',
  MISCONF: 'server_error',
  NOREPLICAS: 'server_error',
  OOM: 'server_error',
  READONLY: 'server_error',
  TRYAGAIN: 'server_error',
};

/**
 * Converts an error reply of Redis or an error of its connection (`host:port`) to a typed failure. `data`
 * contains the first word of an error reply as `code`. Errors of the command are permanent and never retried.
 */
export function createRedisFailure(server: string, error: unknown): HttpFailure {
  if (error instanceof HttpFailure) return error;
  if (!(error instanceof Error)) return createConnectionFailure(server, error);
  const message = truncateText(error.message, MAX_MESSAGE_LENGTH);
  if (error.name === 'ReplyError') {
    const code = /^[A-Z]+/.exec(message)?.[0] ?? 'ERR';
    if (code === 'MOVED' || code === 'ASK')
      return httpFailure(
        'client_error',
        `${server} is part of a Redis Cluster, which is not supported`,
        false,
      );
    const type = /max number of clients/.test(message)
      ? 'server_error'
      : (TEMPORARY_ERRORS[code] ?? 'client_error');
    return new HttpFailure({
      type,
      message: `${server}: ${message}`,
      ...(type === 'client_error' ? { retryable: false } : {}),
      data: { code },
    });
  }
  if ('code' in error && typeof error.code === 'string' && /^[A-Z]/.test(error.code))
    return createConnectionFailure(server, error);
  if (/closed/i.test(message)) return httpFailure('network', `${server} closed the connection`);
  return httpFailure('network', `${server} sent an invalid Redis reply`);
}
