import type { AuditAction, AuditEvent, AuditOutcome } from '../../contract/audit/audit-event.ts';

/** Conditions that all apply. Times in ms since the epoch; `from` is inclusive and `to` exclusive. */
export type AuditFilter = {
  /** The id or the e-mail address of a user. */
  readonly actor?: string;
  readonly action?: AuditAction;
  /** A type of targets: the part of an action before its dot. */
  readonly targetType?: string;
  readonly targetId?: string;
  readonly outcome?: AuditOutcome;
  readonly from?: number;
  readonly to?: number;
};

/**
 * The audit log. Events of changes are written by the methods that make the change, in the same transaction;
 * see `AuditedChange`.
 */
export type AuditStore = {
  /** Writes an event that belongs to no other write. */
  record(event: AuditEvent): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter, offset: number, limit: number): Promise<{ rows: AuditEvent[]; total: number }>;
  /** Oldest first, after the event with the id `after`. */
  page(filter: AuditFilter, after: string, limit: number): Promise<AuditEvent[]>;
  /** Deletes up to `limit` events that are older than `before`; returns their number. */
  prune(before: number, limit: number): Promise<number>;
};

/**
 * The last argument of every method that changes the configuration: the audit event of the change. It is
 * written in the transaction of the change, and only if something changes.
 */
export type AuditedChange = AuditEvent | null;
