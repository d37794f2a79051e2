import type { AuditAction, AuditEvent, AuditOutcome } from '../../contract/audit/audit-event.ts';
import { toPage, type Page } from '../../contract/paging.ts';
import type { Principal } from '../../contract/principal.ts';
import { AuditExportQuerySchema, AuditListQuerySchema } from '../../contract/requests/audit.ts';
import { validate } from '../../contract/validate.ts';
import type { AuditFilter, AuditStore } from '../../ports/store/audit.ts';
import { requireScope } from '../authorize.ts';
import { readTime } from '../executions/execution-query.ts';

/** Events read per query of an export. */
const EXPORT_PAGE_SIZE = 500;

type FilterQuery = {
  actor?: string;
  action?: string;
  target_type?: string;
  target_id?: string;
  outcome?: string;
  from?: string;
  to?: string;
};

export type AuditService = ReturnType<typeof createAuditService>;

/** Reads the audit log of the whole service. Only administrators may. */
export function createAuditService(deps: { audit: Pick<AuditStore, 'list' | 'page'> }) {
  const { audit } = deps;
  return {
    /** Newest first. */
    async list(
      principal: Principal,
      input: unknown,
    ): Promise<{ rows: AuditEvent[]; total: number; page: Page }> {
      requireScope(principal, 'audit:read');
      const query = validate(AuditListQuerySchema, input);
      const page = toPage(query);
      return { ...(await audit.list(readFilter(query), page.offset, page.limit)), page };
    },

    /** All events that match, oldest first; reads a page at a time. */
    export(principal: Principal, input: unknown): AsyncIterable<AuditEvent> {
      requireScope(principal, 'audit:read');
      return readAll(readFilter(validate(AuditExportQuerySchema, input)));
    },
  };

  async function* readAll(filter: AuditFilter): AsyncGenerator<AuditEvent> {
    for (let after = ''; ;) {
      const events = await audit.page(filter, after, EXPORT_PAGE_SIZE);
      yield* events;
      if (events.length < EXPORT_PAGE_SIZE) return;
      after = events.at(-1)!.id;
    }
  }
}

function readFilter(query: FilterQuery): AuditFilter {
  const { actor, action, target_type: targetType, target_id: targetId, outcome, from, to } = query;
  return {
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action: action as AuditAction }),
    ...(targetType !== undefined && { targetType }),
    ...(targetId !== undefined && { targetId }),
    ...(outcome !== undefined && { outcome: outcome as AuditOutcome }),
    ...(from !== undefined && { from: readTime('from', from) }),
    ...(to !== undefined && { to: readTime('to', to) }),
  };
}
