/** The suspicion against a node run that was running when the service process crashed. */
export type Suspicion = {
  /** Crashes in which it was running, since its last settled attempt. */
  crashes: number;
  /** Those of them in which it was the only running suspect. */
  loneCrashes: number;
  /** Whether it runs as the only suspect, so that a crash now is a lone one. */
  isAlone: boolean;
};

/** A node run. */
type Suspect = { suspicion: Suspicion | null };

export function addCrash(before: Suspicion | null, isAlone: boolean): Suspicion {
  if (before === null) return { crashes: 1, loneCrashes: 0, isAlone };
  return {
    crashes: before.crashes + 1,
    loneCrashes: before.loneCrashes + (before.isAlone ? 1 : 0),
    isAlone,
  };
}

/** The next crash is not a lone one, because the process ended cleanly. */
export function endIsolation(run: Suspect): void {
  if (run.suspicion !== null) run.suspicion.isAlone = false;
}

/** The node run survived its probation: earlier lone crashes no longer count. */
export function clearSuspicion(run: Suspect): void {
  if (run.suspicion !== null) run.suspicion = { ...run.suspicion, loneCrashes: 0, isAlone: false };
}

/** The most serious of several suspicions, including the crash that just happened; null: none. */
export function findWorstAfterCrash(
  runs: readonly Suspect[],
): Pick<Suspicion, 'crashes' | 'loneCrashes'> | null {
  if (runs.length === 0) return null;
  let crashes = 0;
  let loneCrashes = 0;
  for (const run of runs) {
    const after = addCrash(run.suspicion, false);
    crashes = Math.max(crashes, after.crashes);
    loneCrashes = Math.max(loneCrashes, after.loneCrashes);
  }
  return { crashes, loneCrashes };
}
