import { createHash } from 'node:crypto';

/**
 * Lower-case hex SHA-256 of a JSON value, independent of the order of fields. The API limits the depth (64
 * levels).
 */
export function computeFingerprint(value: unknown): string {
  const hash = createHash('sha256');
  // A stack of parts still to be written, last first.
  const work: ({ text: string } | { value: unknown })[] = [{ value }];
  for (let top = work.pop(); top !== undefined; top = work.pop()) {
    if ('text' in top) {
      hash.update(top.text);
    } else if (Array.isArray(top.value)) {
      hash.update('[');
      work.push({ text: ']' });
      for (let i = top.value.length - 1; i >= 0; i--) work.push({ text: ',' }, { value: top.value[i] });
    } else if (typeof top.value === 'object' && top.value !== null) {
      hash.update('{');
      work.push({ text: '}' });
      const fields = Object.entries(top.value).sort(([a], [b]) => (a < b ? 1 : -1));
      for (const [key, field] of fields)
        work.push({ text: ',' }, { value: field }, { text: `${JSON.stringify(key)}:` });
    } else {
      hash.update(JSON.stringify(top.value) ?? 'null');
    }
  }
  return hash.digest('hex');
}
