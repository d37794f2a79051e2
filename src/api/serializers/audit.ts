import { readTargetType, type AuditEvent } from '../../contract/audit/audit-event.ts';
import { formatIsoTime } from '../../lib/time/iso-time.ts';
import type { AuditService } from '../../services/audit/audit.service.ts';
import { presentList } from './accounts.ts';

export function presentAuditEvent(event: AuditEvent) {
  return {
    id: event.id,
    created_at: formatIsoTime(event.at),
    action: event.action,
    outcome: event.outcome,
    actor: {
      user_id: event.actorId,
      email: event.actorEmail,
      credential: event.credential,
      credential_id: event.credentialId,
      address: event.address,
      user_agent: event.userAgent,
    },
    target: { type: readTargetType(event.action), id: event.targetId, name: event.targetName },
    details: event.details,
  };
}

export function presentAuditEvents(list: Awaited<ReturnType<AuditService['list']>>) {
  return presentList('audit_events', list, presentAuditEvent);
}
