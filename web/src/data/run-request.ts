import { createStore } from './store.ts';

/** A run that was asked for; shown over whatever page there is, so that it outlives what asked for it. */
export type RunRequest = { readonly workflow: { readonly id: string; readonly name: string } };

export const runRequest = createStore<RunRequest | null>(null);

export function openRun(workflow: RunRequest['workflow']): void {
  runRequest.set({ workflow });
}

/** In this page alone, and once: no link and no reload runs anything. */
let awaited: string | null = null;

/** The page of this workflow runs it as soon as it is open. */
export function runWhenOpen(workflowId: string): void {
  awaited = workflowId;
}

export function takeRunWhenOpen(workflowId: string): boolean {
  const isAwaited = awaited === workflowId;
  awaited = null;
  return isAwaited;
}
