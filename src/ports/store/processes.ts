/** A Weft process that uses this store. `shares`: it is connected to others by a shared queue and bus. */
export type ProcessRow = {
  id: string;
  role: string;
  version: string;
  /** The host name. */
  host: string;
  pid: number;
  shares: boolean;
  startedAt: number;
  aliveUntil: number;
};

/** `slot`: a small number, from 0, that is unique among live processes. */
export type LiveProcess = ProcessRow & { slot: number };

export type ProcessStore = {
  /** Registers a process, or extends its registration; returns its slot. */
  register(row: ProcessRow, now: number): Promise<number>;
  /** Processes whose `aliveUntil` has not passed, oldest first. */
  live(now: number): Promise<LiveProcess[]>;
  leave(id: string): Promise<void>;
};
