import { browserStorage } from './browser-storage.ts';
import { createStore } from './store.ts';

export type Theme = 'system' | 'light' | 'dark';

/** The same key as in theme.ts beside main.tsx, which sets it before the first paint. */
const STORAGE_KEY = 'weft.theme';

function read(): Theme {
  const stored = browserStorage.get(STORAGE_KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export const theme = createStore<Theme>(read());

function show(): void {
  const selected = theme.get();
  if (selected === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = selected;
}

theme.watch(show);

addEventListener('storage', (event) => {
  if (event.key === STORAGE_KEY) theme.set(read());
});

export function chooseTheme(selected: Theme): void {
  browserStorage.set(STORAGE_KEY, selected === 'system' ? null : selected);
  theme.set(selected);
}
