/** The name that is most like a text; null when none is much like it. */
export function nearest(text: string, names: readonly string[]): string | null {
  const wanted = text.toLowerCase();
  const most = Math.max(2, Math.floor(wanted.length * 0.4));
  let best: { name: string; far: number } | null = null;
  for (const name of names) {
    const given = name.toLowerCase();
    if (Math.abs(given.length - wanted.length) > most && !given.includes(wanted)) continue;
    const far = given.includes(wanted) ? 1 : distance(wanted.slice(0, 200), given.slice(0, 200));
    if (far <= most && (best === null || far < best.far)) best = { name, far };
  }
  return best?.name ?? null;
}

/** How many characters differ (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
