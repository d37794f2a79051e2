/** A process of Weft that works on this store. `shares`: it knows of others, by a queue and events that they share. */
export type ProcessRow = {
  id: string;
  role: string;
  version: string;
  /** Of the machine. */
  host: string;
  pid: number;
  shares: boolean;
  startedAt: number;
  aliveUntil: number;
};

/** `place`: a small number, from 0, that no two live processes share. */
export type PlacedProcess = ProcessRow & { place: number };

export type ProcessStore = {
  /** Enters a process, or says that it is still alive; gives its place. */
  beat(row: ProcessRow, now: number): Promise<number>;
  /** Those whose `aliveUntil` is not over, the oldest first. */
  live(now: number): Promise<PlacedProcess[]>;
  leave(id: string): Promise<void>;
};
