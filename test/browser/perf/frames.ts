import type { Page } from 'playwright-core';

/** Durations in ms as the page measures them, and the median rate in frames per second. */
export type FrameTimes = { fps: number; p95: number; longest: number };

/** Measures every frame of the page while `act` runs. */
export async function measureFrames(page: Page, act: () => Promise<void>): Promise<FrameTimes> {
  await page.evaluate(() => {
    const measured = { isOn: true, frames: [] as number[] };
    Object.assign(globalThis, { measured });
    let last = performance.now();
    const step = (now: number): void => {
      measured.frames.push(now - last);
      last = now;
      if (measured.isOn) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  await act();
  const frames = await page.evaluate(() => {
    const { measured } = globalThis as unknown as { measured: { isOn: boolean; frames: number[] } };
    measured.isOn = false;
    return measured.frames.slice(1);
  });
  const sorted = frames.toSorted((a, b) => a - b);
  return {
    fps: Math.round(1_000 / sorted[sorted.length >> 1]!),
    p95: Math.round(sorted[Math.floor(sorted.length * 0.95)]!),
    longest: Math.round(sorted.at(-1)!),
  };
}

/** Waits until the page has painted what is in it now. */
export async function waitForPaint(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}
