/** Executions that the page shows as they go: what becomes of them need not be told a second time. */
export const watchedRuns = new Set<string>();

/** Whether a notification, which names its execution in its words, is about one of them. */
export function isWatched(message: string): boolean {
  for (const id of watchedRuns) if (message.includes(id)) return true;
  return false;
}
