/** What one process does for all: begun when it leads, and ended when another one does. */
export type Duty = { start(): void; stop(): Promise<void> };

export type Duties = {
  /** Begins or ends them; one follows on the other, however quickly they are told. */
  set(lead: boolean): Promise<void>;
};

export function createDuties(duties: readonly Duty[]): Duties {
  let last = Promise.resolve();
  return {
    set(lead) {
      last = last.then(async () => {
        if (lead) for (const duty of duties) duty.start();
        else await Promise.all(duties.map((duty) => duty.stop()));
      });
      return last;
    },
  };
}
