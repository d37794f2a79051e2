import { createNotFoundError } from '../../contract/errors.ts';
import { toPage, toPagination, type Page } from '../../contract/paging.ts';
import type { Principal } from '../../contract/principal.ts';
import { ExecutionQuerySchema } from '../../contract/requests/execution.ts';
import { validate } from '../../contract/validate.ts';
import { searchText } from '../../lib/text/search-text.ts';
import type { ExecutionFilter, ExecutionRetry, ExecutionSearch } from '../../ports/store/execution-reads.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import { requireScope } from '../authorize.ts';
import { createExecutionFilter, createExecutionSearch } from './execution-query.ts';
import type { ExecutionList } from './execution-view.ts';
import type { RedactedViews } from './redacted-views.ts';

/** Maximum number of retries that an execution names. */
const MAX_RETRIES = 10;

/** Lists of executions: by filter, and by search. */
export function createExecutionLists(deps: {
  executions: Pick<ExecutionStore, 'list' | 'search' | 'many' | 'listRetries'>;
  workflows: Pick<WorkflowStore, 'get'>;
  views: Pick<RedactedViews, 'rows' | 'texts'>;
}) {
  const { executions, views } = deps;

  async function search(
    ownerId: string,
    filter: ExecutionFilter,
    wanted: ExecutionSearch,
    page: Page,
  ): Promise<ExecutionList> {
    const { words = [] } = wanted;
    const { hits, searchedFrom } = await executions.search(ownerId, filter, wanted);
    const shown = await views.texts(
      ownerId,
      hits.map((hit) => hit.texts),
    );
    // A search must not find what the response redacts.
    const ids = hits
      .filter((_hit, i) => {
        const texts = shown[i]!.map(searchText);
        return words.every((word) => texts.some((text) => text.includes(searchText(word))));
      })
      .map((hit) => hit.id);
    const wantedIds = ids.slice(page.offset, page.offset + page.limit);
    const rows = new Map((await executions.many(ownerId, wantedIds)).map((row) => [row.id, row]));
    return {
      rows: await views.rows(wantedIds.flatMap((id) => rows.get(id) ?? [])),
      pagination: toPagination(page, ids.length),
      searchedFrom,
    };
  }

  return {
    async list(principal: Principal, input: unknown, workflowId: string | null): Promise<ExecutionList> {
      requireScope(principal, 'executions:read');
      const query = validate(ExecutionQuerySchema, input);
      const page = toPage(query);
      const filter = createExecutionFilter(query, workflowId ?? query.workflow_id);
      if (workflowId !== null && (await deps.workflows.get(principal.userId, workflowId)) === null)
        throw createNotFoundError('workflow');
      // The history of one workflow contains no executions of another.
      if (workflowId !== null && query.workflow_id !== undefined && query.workflow_id !== workflowId)
        return { rows: [], pagination: toPagination(page, 0), searchedFrom: null };
      const wanted = createExecutionSearch(query);
      if (wanted !== null) return search(principal.userId, filter, wanted, page);
      const found = await executions.list(principal.userId, filter, page.offset, page.limit);
      return {
        rows: await views.rows(found.rows),
        pagination: toPagination(page, found.total),
        searchedFrom: null,
      };
    },

    /** Returns the newest retries of the caller's executions in few statements, in the order of `ids`. */
    async listRetries(principal: Principal, ids: readonly string[]): Promise<ExecutionRetry[][]> {
      requireScope(principal, 'executions:read');
      const byExecution = new Map<string, ExecutionRetry[]>(ids.map((id) => [id, []]));
      for (const retry of await executions.listRetries(principal.userId, ids)) {
        const known = byExecution.get(retry.retryOf);
        if (known !== undefined && known.length < MAX_RETRIES) known.push(retry);
      }
      return ids.map((id) => byExecution.get(id) ?? []);
    },
  };
}
