export const idPrefixes = {
  workflow: 'wf',
  execution: 'ex',
  user: 'usr',
  apiKey: 'key',
  session: 'ses',
  file: 'file',
  /** The object of a file in a bucket. */
  object: 'obj',
  request: 'req',
  /**
   * Processes: a worker in a cluster, a process that serves only the API, and a process that is alone on its
   * store.
   */
  worker: 'wrk',
  api: 'api',
  alone: 'one',
  secret: 'sec',
  oauthClient: 'cli',
  decision: 'dec',
  auditEvent: 'aud',
  vectorCollection: 'vc',
} as const;

/** Opaque, prefixed, time-ordered ids. Within one process, later ids sort after earlier ones. */
export type Ids = { next(kind: keyof typeof idPrefixes): string };
