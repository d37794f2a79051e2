import { createNotFoundError } from '../../contract/errors.ts';
import { toPage, type Page } from '../../contract/paging.ts';
import type { Principal } from '../../contract/principal.ts';
import { VectorCollectionListQuerySchema } from '../../contract/requests/vector-collection.ts';
import { validate } from '../../contract/validate.ts';
import type { VectorCollectionRow, VectorStore } from '../../ports/store/ai/vectors.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { requireScope } from '../authorize.ts';

export type VectorCollections = ReturnType<typeof createVectorCollections>;

/** The collections of a user, which the node `vector_store` fills. */
export function createVectorCollections({
  vectors,
  audit,
}: {
  vectors: Pick<VectorStore, 'get' | 'list' | 'remove'>;
  audit: Pick<AuditLog, 'describe'>;
}) {
  async function get(principal: Principal, name: string): Promise<VectorCollectionRow> {
    requireScope(principal, 'executions:read');
    const found = await vectors.get(principal.userId, name);
    if (found === null) throw createNotFoundError('vector collection');
    return found;
  }

  return {
    async list(
      principal: Principal,
      input: unknown,
    ): Promise<{ rows: VectorCollectionRow[]; total: number; page: Page }> {
      requireScope(principal, 'executions:read');
      const query = validate(VectorCollectionListQuerySchema, input);
      const page = toPage(query);
      const search = query.search ?? null;
      const { items, total } = await vectors.list(principal.userId, search, page.offset, page.limit);
      return { rows: items, total, page };
    },

    get,

    /** The next documents begin the collection anew. */
    async remove(principal: Principal, name: string): Promise<void> {
      requireScope(principal, 'executions:write');
      const found = await vectors.get(principal.userId, name);
      if (found === null) throw createNotFoundError('vector collection');
      const event = audit.describe(
        principal,
        'vector_collection.deleted',
        { id: name, name },
        { model: found.model, documents: found.documents },
      );
      if (!(await vectors.remove(principal.userId, name, event)))
        throw createNotFoundError('vector collection');
    },
  };
}
