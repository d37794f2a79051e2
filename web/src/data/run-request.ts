import { createStore } from './store.ts';

/** A run that was asked for; shown over whatever page there is, so that it outlives what asked for it. */
export type RunRequest = {
  readonly workflow: { readonly id: string; readonly name: string };
  /** Without asking for an input first. */
  readonly runsAtOnce: boolean;
};

export const runRequest = createStore<RunRequest | null>(null);

export function openRun(workflow: RunRequest['workflow'], runsAtOnce = false): void {
  runRequest.set({ workflow, runsAtOnce });
}
