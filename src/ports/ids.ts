export const idPrefixes = {
  workflow: 'wf',
  execution: 'ex',
  user: 'usr',
  apiKey: 'key',
  session: 'ses',
  file: 'file',
  request: 'req',
  /** Of processes: one that works among others, one that only has doors, and one that is alone on its store. */
  worker: 'wrk',
  api: 'api',
  alone: 'one',
  secret: 'sec',
  oauthClient: 'cli',
} as const;

/** Opaque, prefixed, time-ordered identifiers: later ones sort behind earlier ones within one process. */
export type Ids = { next(kind: keyof typeof idPrefixes): string };
