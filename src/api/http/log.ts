import { pino, type DestinationStream, type LevelWithSilent, type Logger } from 'pino';

/** Fields that never reach a line, wherever an object that carries them is logged. */
const SECRET_FIELDS = ['authorization', 'x-api-key', 'cookie', 'password', 'token', 'secret', 'value', 'key'];

/** Lines of JSON with ISO times; to standard output unless a destination is given. */
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
