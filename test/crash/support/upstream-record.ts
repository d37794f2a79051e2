/** One line of the upstream's record: written when a call was read, before anything is answered. */
export type UpstreamCall = {
  /** ms since the epoch. */
  at: number;
  key: string;
  node: string;
  execution: string;
  /** How many calls with this key came before. */
  earlier: number;
  /** What it is going to answer; 0: nothing. */
  status: number;
};
