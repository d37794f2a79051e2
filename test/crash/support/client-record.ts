/**
 * One line of the clients' record, written only after a response was read completely: what the service has
 * acknowledged. Times are ms since the epoch.
 */
export type AcknowledgedRequest =
  | { t: 'workflow'; id: string; version: number; name: string }
  /**
   * `ended`: the response reported completion. `key`: every response to this key must name the same
   * execution.
   */
  | { t: 'execution'; id: string; workflow: string; key: string | null; ended: boolean }
  | { t: 'stopped'; id: string; at: number }
  /** The execution had already ended, or an earlier stop whose response was lost had succeeded. */
  | { t: 'not_stopped'; id: string }
  /** A request whose connection broke: nothing is acknowledged. */
  | { t: 'lost'; what: string }
  /** A response that must never occur. */
  | { t: 'odd'; what: string; status: number; body: string };
