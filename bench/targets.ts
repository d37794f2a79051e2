// The targets: ratios to the baseline of the same run, or absolute figures.

/** `perSecond`: minimum share of the baseline's requests/s. `p99`: maximum multiple of the baseline's p99. */
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

export function findTarget(workload: string, connections: number): Target | undefined {
  return TARGETS[`${workload}@${connections}`];
}

/** Upper limits of figures without a baseline. */
export const LIMITS = {
  /** Time from start to the first healthy response, in ms. */
  start: 700,
  /** MiB. */
  memoryIdle: 120,
  memoryAfterW1: 250,
  /** p99 of a list page, in ms. */
  list: 10,
  listWithTimes: 50,
  /** Longest delay of the event loop, in ms. */
  loop: 100,
  /** t(10,000) / t(1,000): 10 is linear, plus a margin for the noise of short runs. */
  growth: 15,
  /** ms to wake and to open a long execution, and MiB for waking it. */
  wake: 150,
  open: 300,
  wakeMemory: 100,
  /** ms of a turn of an agent besides its model, p50. */
  turn: 5,
  /** ns for one evaluation of a path of three names: one million per second. */
  evaluation: 1000,
  /**
   * ms of a trivial call of user code, and the maximum ratio of W1's p99 beside endless loops to its p99
   * alone.
   */
  codeCall: 1,
  besideLoops: 2,
  /** p99 of an event of a stream from its time in the journal, in ms, and MiB of a thousand streams. */
  streamEvent: 30,
  memoryOfStreams: 100,
  /**
   * Packs of npm. ms: the first call, a warm call above the same http_request, choices, and the end of all
   * processes by a stop. MiB and ms: an idle process. Ratio: the p99 beside endless calls to that alone.
   */
  packFirstCall: 800,
  packCall: 10,
  packChoices: 1_000,
  packStop: 300,
  packIdle: 40,
  packIdleMs: 61_000,
  besidePacks: 1.5,
} as const;
