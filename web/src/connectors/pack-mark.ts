import type { Mark } from '../ui/brand-marks.tsx';
import { createLazyMarks } from '../ui/lazy-marks.tsx';

/** The marks of providers and of other services, from scripts/import-marks.mjs. */
const getMark = createLazyMarks(async () => {
  const [providers, services] = await Promise.all([
    import('../credentials/provider-marks.json'),
    import('./service-marks.json'),
  ]);
  return { ...providers.default, ...services.default };
});

/** Words in the names of packs that do not belong to the name of the service. */
const GENERAL = new Set(['api', 'apis', 'bot', 'http', 'openapi', 'public', 'rest', 'swagger', 'web']);

/** The service that a pack connects to, by the id of its node type; null for a type of no pack. */
export function readServiceName(typeId: string): string | null {
  const [, name] = /^(?:npm|openapi)\.(\w+)/.exec(typeId) ?? [];
  if (name === undefined) return null;
  const words = name.split('_').filter((word) => !GENERAL.has(word) && !/^v?\d+$/.test(word));
  return words.join('').toLowerCase();
}

/** The mark of the service of a pack, if there is one. */
export function packMark(typeId: string, fallback: Mark): Mark {
  const service = readServiceName(typeId);
  return service === null ? fallback : getMark(service, fallback);
}
