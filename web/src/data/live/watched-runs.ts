/** Executions that the page displays live, which need no notification. */
export const watchedRuns = new Set<string>();

/** Whether a notification, which contains the execution's id in its text, is about one of them. */
export function isWatched(message: string): boolean {
  for (const id of watchedRuns) if (message.includes(id)) return true;
  return false;
}
