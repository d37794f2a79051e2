/** What one process does for all: begun when it leads, and ended when another one does. */
export type LeaderTask = { start(): void; stop(): Promise<void> };

export type LeaderTasks = {
  /** Begins or ends them; one follows on the other, however quickly they are told. */
  set(lead: boolean): Promise<void>;
};

export function createLeaderTasks(leaderTasks: readonly LeaderTask[]): LeaderTasks {
  let last = Promise.resolve();
  return {
    set(lead) {
      last = last.then(async () => {
        if (lead) for (const duty of leaderTasks) duty.start();
        else await Promise.all(leaderTasks.map((duty) => duty.stop()));
      });
      return last;
    },
  };
}
