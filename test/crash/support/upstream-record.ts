/** One line of the upstream's record, written when a call was read and before the response. */
export type UpstreamCall = {
  /** ms since the epoch. */
  at: number;
  key: string;
  node: string;
  execution: string;
  /** The number of earlier calls with this key. */
  earlier: number;
  /** The status of its response; 0: none. */
  status: number;
};
