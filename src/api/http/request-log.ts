import type { FastifyBaseLogger } from 'fastify';

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';
type Bindings = Parameters<FastifyBaseLogger['child']>[0];

/**
 * Creates the child log of a request when its first line is written. Most requests write none, and creating a
 * child log for each would cost more than routing the request.
 */
export function createRequestLog(log: FastifyBaseLogger, bindings: Bindings): FastifyBaseLogger {
  return new RequestLog(log, bindings) as unknown as FastifyBaseLogger;
}

class RequestLog {
  #log: FastifyBaseLogger;
  #bindings: Bindings | null;

  constructor(log: FastifyBaseLogger, bindings: Bindings) {
    this.#log = log;
    this.#bindings = bindings;
  }

  #made(): FastifyBaseLogger {
    if (this.#bindings !== null) {
      this.#log = this.#log.child(this.#bindings);
      this.#bindings = null;
    }
    return this.#log;
  }

  get level(): string {
    return this.#log.level;
  }
  fatal(...line: unknown[]): void {
    this.#write('fatal', line);
  }
  error(...line: unknown[]): void {
    this.#write('error', line);
  }
  warn(...line: unknown[]): void {
    this.#write('warn', line);
  }
  info(...line: unknown[]): void {
    this.#write('info', line);
  }
  debug(...line: unknown[]): void {
    this.#write('debug', line);
  }
  trace(...line: unknown[]): void {
    this.#write('trace', line);
  }
  silent(): void {}
  child(bindings: Bindings): FastifyBaseLogger {
    return this.#made().child(bindings);
  }

  #write(level: Level, line: unknown[]): void {
    const log = this.#made();
    (log[level] as (...line: unknown[]) => void).apply(log, line);
  }
}
