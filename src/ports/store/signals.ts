/** `taken`: the path has a signal already. `missing`: the execution does not exist or has another owner. */
export type SignalResult = 'stored' | 'taken' | 'settled' | 'missing';

/** External values for node runs that wait for them. */
export type ExecutionSignals = {
  /**
   * Stores a value (JSON text) for the node run at `path`, and makes its timer due. The first value for a
   * path is kept as long as the execution.
   */
  signal(ownerId: string, id: string, path: string, value: string, at: number): Promise<SignalResult>;
  readSignal(ownerId: string, id: string, path: string): Promise<string | null>;
};
