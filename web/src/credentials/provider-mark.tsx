import { Cable } from 'lucide-react';
import type { ConnectedAccount } from 'weft-client';
import type { Mark } from '../ui/brand-marks.tsx';
import { createLazyMarks } from '../ui/lazy-marks.tsx';

/** The marks of providers by id, from scripts/import-marks.mjs. */
const getMark = createLazyMarks(async () => (await import('./provider-marks.json')).default);

/** The mark of a provider, or of connections in general. */
export function getProviderMark(provider: ConnectedAccount['provider'] | undefined): Mark {
  return provider === null || provider === undefined ? Cable : getMark(provider, Cable);
}
