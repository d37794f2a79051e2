import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { missingServices } from './services-needed.ts';

/**
 * The result of a run. A file that cannot be loaded and an error outside of tests count as one failure each.
 */
type Counts = { passed: number; failed: number; skipped: number };

function countTests(modules: readonly TestModule[], errors: readonly SerializedError[]): Counts {
  const counts = { passed: 0, failed: errors.length, skipped: 0 };
  for (const module of modules) {
    let failures = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') counts.passed++;
      else if (state === 'failed') failures++;
      else counts.skipped++;
    }
    // A failed hook or import fails the file without a failed test.
    counts.failed += module.state() === 'failed' ? Math.max(failures, 1) : failures;
  }
  return counts;
}

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export function formatLastLine(counts: Counts, ms: number, missing: readonly string[]): string {
  const [passed, failed, skipped] = [counts.passed, counts.failed, counts.skipped].map((count) =>
    count.toLocaleString('en-US'),
  );
  const reason = missing.length === 0 ? '' : ` (not installed: ${missing.join(', ')})`;
  if (counts.passed + counts.failed + counts.skipped === 0) return `FAILED: no tests were found${reason}`;
  const verdict = counts.failed === 0 ? 'PASSED' : 'FAILED';
  return `${verdict}: ${passed} passed, ${failed} failed, ${skipped} skipped${reason} in ${formatDuration(ms)}`;
}

/** Prints missing services before the run, and the result in the last line. It must be the last reporter. */
export default class LastLineReporter implements Reporter {
  #began = 0;

  onInit(): void {
    if (missingServices.length > 0)
      console.warn(`Not installed: ${missingServices.join(', ')}. Tests that need them are skipped.`);
  }

  onTestRunStart(): void {
    this.#began = performance.now();
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const line = formatLastLine(
      countTests(modules, errors),
      performance.now() - this.#began,
      missingServices,
    );
    console.log(`\n${line}`);
  }
}
