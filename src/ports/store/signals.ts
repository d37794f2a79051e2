/** `taken`: there is one for this path already. `missing`: no such execution, or another owner's. */
export type SignalResult = 'stored' | 'taken' | 'settled' | 'missing';

/** What comes from outside for a node run that waits for it. */
export type ExecutionSignals = {
  /**
   * Leaves a value (JSON text) for the node run at `path`, and makes its timer due. The first one for a path stays as long as
   * the execution.
   */
  signal(ownerId: string, id: string, path: string, value: string, at: number): Promise<SignalResult>;
  signalOf(ownerId: string, id: string, path: string): Promise<string | null>;
};
