/** Invalid use of the command line: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A wait timed out: exit code 8. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** Ctrl-C or SIGTERM interrupted the command. `message` may say what continues without it. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM', message = '') {
    super(message);
    this.signal = signal;
  }
}
