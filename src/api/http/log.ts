import { pino, type DestinationStream, type LevelWithSilent, type Logger } from 'pino';

/** Fields that are redacted in every object that is logged, at up to three levels. */
const SECRET_FIELDS = ['authorization', 'x-api-key', 'cookie', 'password', 'token', 'secret', 'value', 'key'];

/**
 * Creates a log of JSON lines with ISO timestamps. It writes to standard output unless a destination is
 * given.
 */
export function createLog(level: LevelWithSilent, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: (): string => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS.flatMap(paths), censor: '[redacted]' },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

function paths(field: string): string[] {
  const name = `["${field}"]`;
  return [name, `*${name}`, `*.*${name}`];
}
