import type { Clock } from '../../ports/clock.ts';

/**
 * Calls `stalled` after no activity for `ms`. Activity is checked periodically, so the call may be up to a
 * quarter late.
 */
export function watchIdle(
  clock: Clock,
  ms: number,
  stalled: () => void,
): { moved: () => void; stop: () => void } {
  let last = clock.now();
  let cancel = (): void => {};
  const look = (): void => {
    const quiet = clock.now() - last;
    if (quiet >= ms) stalled();
    else cancel = clock.after(Math.max(1, Math.min(ms - quiet, ms / 4)), look);
  };
  look();
  return {
    moved: () => {
      last = clock.now();
    },
    stop: () => cancel(),
  };
}
