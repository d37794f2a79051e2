import { MAX_SHOWN_BYTES } from '../../contract/ai/threads.ts';
import { createNotFoundError } from '../../contract/errors.ts';
import { toPage, type Page } from '../../contract/paging.ts';
import type { Principal } from '../../contract/principal.ts';
import { ThreadListQuerySchema } from '../../contract/requests/thread.ts';
import { validate } from '../../contract/validate.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StoredTurn, ThreadRow, ThreadStore } from '../../ports/store/ai/threads.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { requireScope } from '../authorize.ts';
import type { JsonRedactor } from '../credentials/redaction.ts';

export type ThreadDetail = { thread: ThreadRow; turns: StoredTurn[] };
export type Threads = ReturnType<typeof createThreads>;

/** Conversations that nodes continue. Users reach the threads of their own workflows. */
export function createThreads(deps: {
  threads: Pick<ThreadStore, 'get' | 'list' | 'remove'>;
  audit: Pick<AuditLog, 'describe'>;
  clock: Pick<Clock, 'now'>;
  loadRedactor(ownerId: string): Promise<JsonRedactor>;
}) {
  const { threads, audit, clock } = deps;

  async function find(ownerId: string, id: string, maxBytes: number): Promise<ThreadDetail> {
    const found = await threads.get(ownerId, id, maxBytes, clock.now());
    if (found === null) throw createNotFoundError('thread');
    return found;
  }

  return {
    async list(
      principal: Principal,
      input: unknown,
    ): Promise<{ rows: ThreadRow[]; total: number; page: Page }> {
      requireScope(principal, 'executions:read');
      const query = validate(ThreadListQuerySchema, input);
      const page = toPage(query);
      const { items, total } = await threads.list(
        principal.userId,
        {
          ...(query.workflow_id === undefined ? {} : { workflowId: query.workflow_id }),
          ...(query.namespace === undefined ? {} : { namespace: query.namespace }),
          ...(query.search === undefined ? {} : { search: query.search }),
        },
        page.offset,
        page.limit,
        clock.now(),
      );
      const redact = await deps.loadRedactor(principal.userId);
      return { rows: redact(items), total, page };
    },

    /** The thread with its newest turns. */
    async get(principal: Principal, id: string): Promise<ThreadDetail> {
      requireScope(principal, 'executions:read');
      const found = await find(principal.userId, id, MAX_SHOWN_BYTES);
      const redact = await deps.loadRedactor(principal.userId);
      return redact(found);
    },

    /** An execution that continues the thread afterwards begins it anew. */
    async remove(principal: Principal, id: string): Promise<void> {
      requireScope(principal, 'executions:write');
      const { thread } = await find(principal.userId, id, 0);
      const redact = await deps.loadRedactor(principal.userId);
      const event = audit.describe(
        principal,
        'thread.deleted',
        { id, name: redact(thread.key) },
        { workflow_id: thread.workflowId, namespace: thread.namespace, turns: thread.turns },
      );
      if (!(await threads.remove(principal.userId, id, event))) throw createNotFoundError('thread');
    },
  };
}
