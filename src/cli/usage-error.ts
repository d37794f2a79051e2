/** Wrong use of the command line: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What was waited for has not come in the time given: exit code 8. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** Ctrl-C, or SIGTERM: what the command was doing has been left. `message` may say what goes on without it. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM', message = '') {
    super(message);
    this.signal = signal;
  }
}
