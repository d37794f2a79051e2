import type { StreamedEvent } from '../servers/event-stream.ts';

/** What a client shows of each node run, from its events. */
export function applyTexts(events: readonly StreamedEvent[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const { event, data } of events) {
    const { path, text } = data as { path: string; text: string };
    if (event === 'text') texts[path] = (texts[path] ?? '') + text;
    if (event === 'reset' && (data as { of: string }).of === 'text') texts[path] = '';
  }
  return texts;
}

/** Lets the model write words one by one. */
export function createGate() {
  let open: ((goesOn: boolean) => void)[] = [];
  const release = (goesOn: boolean): void => {
    const all = open;
    open = [];
    for (const one of all) one(goesOn);
  };
  return {
    pace: () => new Promise<boolean>((resolve) => open.push(resolve)),
    release,
    isWaiting: () => open.length > 0,
  };
}
