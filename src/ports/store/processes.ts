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

/** `place`: a small number, from 0, that is unique among live processes. */
export type SlottedProcess = ProcessRow & { place: number };

export type ProcessStore = {
  /** Registers a process, or extends its registration; returns its place. */
  beat(row: ProcessRow, now: number): Promise<number>;
  /** Processes whose `aliveUntil` has not passed, oldest first. */
  live(now: number): Promise<SlottedProcess[]>;
  leave(id: string): Promise<void>;
};
