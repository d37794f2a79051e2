// What must be reached, as ratios to the baseline of the same run, or as plain figures.

/** `perSecond`: at least this share of the baseline's requests/s. `p99`: at most this many times the baseline's p99. */
export type Target = { readonly perSecond: number; readonly p99?: number };

const TARGETS: Readonly<Record<string, Target>> = {
  'W1@50': { perSecond: 0.38, p99: 3 },
  'W1@200': { perSecond: 0.33, p99: 4 },
  'W1@1': { perSecond: 0.45 },
  'W2@50': { perSecond: 0.25 },
  'W3@50': { perSecond: 0.5 },
  'GET /workflows@50': { perSecond: 0.35 },
  'GET /executions/{id}@50': { perSecond: 0.35 },
};

export function targetFor(workload: string, connections: number): Target | undefined {
  return TARGETS[`${workload}@${connections}`];
}

/** Upper bounds of the figures that have no baseline. */
export const LIMITS = {
  /** Start to the first healthy answer, built: ms. */
  start: 700,
  /** MiB. */
  memoryIdle: 120,
  memoryAfterW1: 250,
  /** p99 of a list page, ms. */
  list: 10,
  listWithTimes: 50,
  /** The event loop's longest delay, ms. */
  loop: 100,
  /** t(10,000) / t(1,000): 10 is linear, with room for the noise of short runs. */
  growth: 15,
  /** ns of one evaluation of a path of three names: a million a second. */
  evaluation: 1000,
  /** ms of a trivial call of user code, and how many times its p99 alone W1's may be beside endless loops. */
  codeCall: 1,
  besideLoops: 2,
} as const;
