/** What waits for a worker: how many, how many are in the hands of one, and for how long (ms) the first has waited (null: none does). */
export type QueueDepth = { waiting: number; taken: number; oldest: number | null };

/**
 * Wake-ups for workers: ids of executions that somebody should claim, and nothing else. Every one may be lost, doubled or late
 * without harm: the store is the truth, and a sweep finds there what no wake-up told of.
 */
export type Queue = {
  /** Says that these executions can be claimed. Never throws and never blocks; what cannot be told is dropped. */
  announce(ids: readonly string[]): void;
  /**
   * Hands announced ids to `take`, to one worker each, at most `atOnce` at a time here; an id is in this worker's hands until what
   * `take` gives resolves. Should the worker die before, another one gets the id.
   */
  work(take: (id: string) => Promise<void>, atOnce: number): void;
  /** Takes nothing more, until `resume`; what is in hand goes on. */
  rest(): void;
  resume(): void;
  /** Whether announcements get through now. */
  isUp(): boolean;
  /** Null when it cannot be told. */
  depth(): Promise<QueueDepth | null>;
  /** Rests, and gives up what is in hand. */
  close(): Promise<void>;
};
