/**
 * One line of the clients' record, written only after the answer was read in full: what the service has promised.
 * Times are ms since the epoch.
 */
export type Acknowledged =
  | { t: 'workflow'; id: string; version: number; name: string }
  /** `ended`: the answer said that it completed. `key`: every answer to this key must name the same execution. */
  | { t: 'execution'; id: string; workflow: string; key: string | null; ended: boolean }
  | { t: 'stopped'; id: string; at: number }
  /** The execution had already ended, or an earlier stop had worked whose answer was lost. */
  | { t: 'not_stopped'; id: string }
  /** A call that broke off: nothing is promised. */
  | { t: 'lost'; what: string }
  /** An answer that should never be. */
  | { t: 'odd'; what: string; status: number; body: string };
