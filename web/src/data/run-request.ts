import { createStore } from './store.ts';

/** A requested run; its dialog is shown over any page, so that navigation does not close it. */
export type RunRequest = { readonly workflow: { readonly id: string; readonly name: string } };

export const runRequest = createStore<RunRequest | null>(null);

export function openRun(workflow: RunRequest['workflow']): void {
  runRequest.set({ workflow });
}

/** Held in memory and consumed once, so that no link or reload starts a run. */
let awaited: string | null = null;

/** The workflow's page starts the run when it opens. */
export function runWhenOpen(workflowId: string): void {
  awaited = workflowId;
}

export function takeRunWhenOpen(workflowId: string): boolean {
  const isAwaited = awaited === workflowId;
  awaited = null;
  return isAwaited;
}
