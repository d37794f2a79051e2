import { Cable } from 'lucide-react';
import type { ConnectedAccount } from 'weft-client';
import { createStore, useStore } from '../data/store.ts';
import { createMark, type Mark } from '../ui/brand-marks.tsx';

/** The marks of providers by id, from scripts/import-marks.mjs. Loaded when the first one is displayed. */
const loaded = createStore<Readonly<Record<string, Mark>>>({});
let isRequested = false;

function requestMarks(): void {
  if (isRequested) return;
  isRequested = true;
  import('./provider-marks.json')
    .then(({ default: paths }) => {
      loaded.set(Object.fromEntries(Object.entries(paths).map(([id, path]) => [id, createMark(path)])));
    })
    .catch(() => {
      // The general mark stays; the next display tries again.
      isRequested = false;
    });
}

const marks = new Map<string, Mark>();

function createProviderMark(provider: string): Mark {
  return function ProviderMark(props) {
    requestMarks();
    const loadedMarks = useStore(loaded);
    const Shown = Object.hasOwn(loadedMarks, provider) ? loadedMarks[provider]! : Cable;
    return <Shown {...props} />;
  };
}

/** The mark of a provider, or of connections in general. */
export function providerMark(provider: ConnectedAccount['provider'] | undefined): Mark {
  if (provider === null || provider === undefined) return Cable;
  let mark = marks.get(provider);
  if (mark === undefined) marks.set(provider, (mark = createProviderMark(provider)));
  return mark;
}
