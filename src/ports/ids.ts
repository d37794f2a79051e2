export const idPrefixes = {
  workflow: 'wf',
  execution: 'ex',
  user: 'usr',
  apiKey: 'key',
  session: 'ses',
  file: 'file',
  request: 'req',
  worker: 'wrk',
  secret: 'sec',
  oauthClient: 'cli',
} as const;

/** Opaque, prefixed, time-ordered identifiers: later ones sort behind earlier ones within one process. */
export type Ids = { next(kind: keyof typeof idPrefixes): string };
