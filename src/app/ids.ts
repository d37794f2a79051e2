import { randomFillSync } from 'node:crypto';
import { createTimeOrderedIds } from '../lib/ids.ts';
import { idPrefixes, type Ids } from '../ports/ids.ts';

export function createIds(now: () => number): Ids {
  const next = createTimeOrderedIds(now, (bytes) => void randomFillSync(bytes));
  return { next: (kind) => `${idPrefixes[kind]}_${next()}` };
}
