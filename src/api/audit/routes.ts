import { AuditExportQuerySchema, AuditListQuerySchema } from '../../contract/requests/audit.ts';
import { AuditListResource } from '../../contract/resources/audit.ts';
import type { AuditService } from '../../services/audit/audit.service.ts';
import { presentAuditEvent, presentAuditEvents } from '../serializers/audit.ts';
import { Download, type Route } from '../rest/route.ts';

export function auditRoutes(audit: AuditService): Route[] {
  return [
    {
      method: 'GET',
      path: '/audit-events',
      operation: 'listAuditEvents',
      status: 200,
      scope: 'audit:read',
      summary: 'List the events of the audit log, newest first',
      response: AuditListResource,
      query: AuditListQuerySchema,
      handle: async ({ principal, query }) => presentAuditEvents(await audit.list(principal, query)),
    },
    {
      method: 'GET',
      path: '/audit-events/export',
      operation: 'exportAuditEvents',
      status: 200,
      scope: 'audit:read',
      summary: 'Download the events of the audit log as JSON lines, oldest first',
      response: 'bytes',
      query: AuditExportQuerySchema,
      handle({ principal, query, setHeader }) {
        const events = audit.export(principal, query);
        setHeader('content-disposition', 'attachment; filename="audit-events.jsonl"');
        return new Download('application/jsonl', null, toLines(events));
      },
    },
  ];

  async function* toLines(events: ReturnType<AuditService['export']>): AsyncGenerator<Uint8Array> {
    for await (const event of events) yield Buffer.from(`${JSON.stringify(presentAuditEvent(event))}\n`);
  }
}
