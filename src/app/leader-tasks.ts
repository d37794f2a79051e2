/** A task that only the leader runs. */
export type LeaderTask = { start(): void; stop(): Promise<void> };

export type LeaderTasks = {
  /** Starts or stops all tasks. Calls take effect one after the other. */
  set(isLeader: boolean): Promise<void>;
};

export function createLeaderTasks(tasks: readonly LeaderTask[]): LeaderTasks {
  let last = Promise.resolve();
  return {
    set(isLeader) {
      last = last.then(async () => {
        if (isLeader) for (const task of tasks) task.start();
        else await Promise.all(tasks.map((task) => task.stop()));
      });
      return last;
    },
  };
}
