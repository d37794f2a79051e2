import { writeSync } from 'node:fs';

/** Lines beyond this buffer are counted and dropped. */
const MAX_BUFFERED_BYTES = 256 * 1024;
/** The delay before a failed write is retried. */
const RETRY_DELAY_MS = 1_000;

/**
 * Writes whole log lines in order. A full disk or a slow or closed reader neither blocks nor ends the
 * service: lines are buffered up to a limit, further lines are dropped, and a later line reports how many.
 */
export class LogStream {
  readonly #fd: number;
  readonly #now: () => number;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #lost = 0;
  #again: NodeJS.Timeout | null = null;

  constructor(fd: number, now: () => number) {
    this.#fd = fd;
    this.#now = now;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#waiting.length > 0 && this.#bytes + bytes.length > MAX_BUFFERED_BYTES) this.#lost++;
    else {
      this.#waiting.push(bytes);
      this.#bytes += bytes.length;
    }
    this.#flush();
  }

  #flush(): void {
    try {
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        const written = writeSync(this.#fd, next);
        this.#bytes -= written;
        // The rest of a line is written before anything else.
        if (written < next.length) this.#waiting[0] = next.subarray(written);
        else this.#waiting.shift();
        if (this.#waiting.length === 0) this.#reportLost();
      }
    } catch {
      if (this.#again !== null) return;
      this.#again = setTimeout(() => {
        this.#again = null;
        this.#flush();
      }, RETRY_DELAY_MS).unref();
    }
  }

  #reportLost(): void {
    if (this.#lost === 0) return;
    const time = new Date(this.#now()).toISOString();
    const line = { level: 'warn', time, lost: this.#lost, msg: 'failed to write log lines' };
    this.#lost = 0;
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
  }
}
