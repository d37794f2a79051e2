import type {
  AuditAction,
  AuditCredential,
  AuditEvent,
  AuditOutcome,
} from '../../../contract/audit/audit-event.ts';
import type { AuditFilter } from '../../../ports/store/audit.ts';
import type { Json } from '../../../lib/json/json.ts';
import * as audit from '../../queries/audit.ts';
import {
  selectAll,
  change,
  selectFirst,
  type Scalar,
  type Statement,
  type Transaction,
} from '../../statement.ts';

type AuditRecord = {
  id: string;
  created_at: number;
  action: AuditAction;
  outcome: AuditOutcome;
  actor_id: string | null;
  actor_email: string | null;
  credential: AuditCredential;
  credential_id: string | null;
  target_id: string | null;
  target_name: string | null;
  address: string | null;
  user_agent: string | null;
  details: string;
};

export function insertAuditEvent(event: AuditEvent): Statement {
  return {
    sql: audit.insert,
    params: [
      event.id,
      event.at,
      event.action,
      event.outcome,
      event.actorId,
      event.actorEmail,
      event.credential,
      event.credentialId,
      event.targetId,
      event.targetName,
      event.address,
      event.userAgent,
      JSON.stringify(event.details),
    ],
  };
}

export function* recordAuditEvent(event: AuditEvent): Transaction<void> {
  yield [insertAuditEvent(event)];
}

export function* listAuditEvents(
  filter: AuditFilter,
  offset: number,
  limit: number,
): Transaction<{ rows: AuditEvent[]; total: number }> {
  const { conditions, params } = readFilter(filter);
  const counted = yield* selectFirst<{ n: number }>(audit.count(conditions), ...params);
  const records = yield* selectAll<AuditRecord>(audit.list(conditions), ...params, limit, offset);
  return { rows: records.map(toEvent), total: Number(counted?.n ?? 0) };
}

export function* pageAuditEvents(
  filter: AuditFilter,
  after: string,
  limit: number,
): Transaction<AuditEvent[]> {
  const { conditions, params } = readFilter(filter);
  return (yield* selectAll<AuditRecord>(audit.selectPage(conditions), ...params, after, limit)).map(toEvent);
}

export function* pruneAuditEvents(before: number, limit: number): Transaction<number> {
  return yield* change(audit.prune, before, limit);
}

function readFilter(filter: AuditFilter): { conditions: audit.AuditConditions; params: Scalar[] } {
  const { actor, action, targetType, targetId, outcome, from, to } = filter;
  return {
    conditions: {
      actor: actor === undefined ? null : actor.includes('@') ? 'email' : 'id',
      action: action !== undefined,
      targetType: targetType !== undefined,
      targetId: targetId !== undefined,
      outcome: outcome !== undefined,
      from: from !== undefined,
      to: to !== undefined,
    },
    params: [
      actor,
      action,
      targetType === undefined ? undefined : `${targetType}.%`,
      targetId,
      outcome,
      from,
      to,
    ].filter((value) => value !== undefined),
  };
}

function toEvent(record: AuditRecord): AuditEvent {
  return {
    id: record.id,
    at: record.created_at,
    action: record.action,
    outcome: record.outcome,
    actorId: record.actor_id,
    actorEmail: record.actor_email,
    credential: record.credential,
    credentialId: record.credential_id,
    targetId: record.target_id,
    targetName: record.target_name,
    address: record.address,
    userAgent: record.user_agent,
    details: JSON.parse(record.details) as { [name: string]: Json },
  };
}
