import { logLevels, type LogLevel } from '../../contract/execution.ts';
import { isObject } from '../../lib/json/json.ts';
import { FrameError, type Frame } from './message-framing.ts';
import {
  failureKinds,
  MAX_LOG_LINE_LENGTH,
  MAX_LOG_LINES,
  MAX_MESSAGE_LENGTH,
  type Response,
  type LogLine,
} from './messages.ts';

/** Reads a response and its text, and validates each field. @throws {FrameError} if it is invalid. */
export function readResponse({ header, texts }: Frame): { response: Response; text: string } {
  if (!isObject(header)) throw new FrameError('The response is not an object');
  const { kind, id, logs } = header;
  if (kind === 'ready') return { response: { kind }, text: '' };
  if (typeof id !== 'number') throw new FrameError('The response has no call id');
  const base = { id, logs: readLogs(logs) };
  const [text = ''] = texts;
  if (kind === 'done') return { response: { kind, ...base }, text };
  if (kind !== 'failed') throw new FrameError('The response has an unknown kind');
  const failure = failureKinds.find((known) => known === header['failure']);
  const message = header['message'];
  if (failure === undefined || typeof message !== 'string')
    throw new FrameError('The failure has no valid reason');
  return {
    response: {
      kind,
      ...base,
      failure,
      message: message.slice(0, MAX_MESSAGE_LENGTH),
      line: readPosition(header['line']),
      column: readPosition(header['column']),
    },
    text,
  };
}

function readLogs(value: unknown): LogLine[] {
  if (!Array.isArray(value)) throw new FrameError('The response has no log');
  return value.slice(0, MAX_LOG_LINES + 1).map((line: unknown) => {
    const { level, message } = (isObject(line) ? line : {}) as Record<string, unknown>;
    if (!isLevel(level) || typeof message !== 'string')
      throw new FrameError('The response has an invalid log line');
    return { level, message: message.slice(0, MAX_LOG_LINE_LENGTH) };
  });
}

function isLevel(value: unknown): value is LogLevel {
  return logLevels.some((level) => level === value);
}

function readPosition(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}
