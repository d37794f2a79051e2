import { writeSync } from 'node:fs';

/** Bytes of lines that wait for room; what comes beyond them is counted, and lost. */
const MOST_WAITING = 256 * 1024;
/** ms until it is tried again when nothing is logged meanwhile. */
const AGAIN = 1_000;

/**
 * Where the log goes: whole lines, each written at once, in their order. A disk that is full, a reader that is gone or too slow
 * never holds the service up and never ends it: some lines wait, the others are lost, and once there is room again a line tells
 * how many.
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
    if (this.#waiting.length > 0 && this.#bytes + bytes.length > MOST_WAITING) this.#lost++;
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
        // The rest of a line comes before anything else.
        if (written < next.length) this.#waiting[0] = next.subarray(written);
        else this.#waiting.shift();
        if (this.#waiting.length === 0) this.#tellLost();
      }
    } catch {
      if (this.#again !== null) return;
      this.#again = setTimeout(() => {
        this.#again = null;
        this.#flush();
      }, AGAIN).unref();
    }
  }

  #tellLost(): void {
    if (this.#lost === 0) return;
    const time = new Date(this.#now()).toISOString();
    const line = { level: 'warn', time, lost: this.#lost, msg: 'lines of the log could not be written' };
    this.#lost = 0;
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
  }
}
