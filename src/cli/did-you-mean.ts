import { editDistance } from '../lib/text/edit-distance.ts';

/** Returns the most similar name; null when none is similar. */
export function findNearest(text: string, names: readonly string[]): string | null {
  const wanted = text.toLowerCase();
  const most = Math.max(2, Math.floor(wanted.length * 0.4));
  let best: { name: string; far: number } | null = null;
  for (const name of names) {
    const given = name.toLowerCase();
    if (Math.abs(given.length - wanted.length) > most && !given.includes(wanted)) continue;
    const far = given.includes(wanted) ? 1 : editDistance(wanted.slice(0, 200), given.slice(0, 200));
    if (far <= most && (best === null || far < best.far)) best = { name, far };
  }
  return best?.name ?? null;
}
