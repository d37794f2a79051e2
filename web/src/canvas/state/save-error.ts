import type { Issue } from 'weft-client';
import type { Definition } from '../model/document.ts';

/** The validation errors of the service, as issues of the nodes of the sent definition. */
export function readIssues(error: unknown, sent: Definition): Issue[] {
  const { errors } = error as { errors?: unknown };
  if (!Array.isArray(errors)) return [];
  return (errors as { field: string; issue: string }[]).map(({ field, issue }) =>
    toNodeIssue(field, issue, sent),
  );
}

/** `definition.nodes[2].config.url` as an issue of that node. */
function toNodeIssue(field: string, issue: string, sent: Definition): Issue {
  const match = /^definition\.nodes\[(\d+)\]\.?(.*)$/.exec(field);
  const entry = match === null ? undefined : sent.nodes[Number(match[1])];
  return entry === undefined
    ? { node_id: null, field, issue }
    : { node_id: entry.id, field: match?.[2] ?? '', issue };
}

/** Whether a later attempt may succeed. */
export function isTemporary(error: unknown): boolean {
  const { code, status } = error as { code?: string; status?: number | null };
  if (code === undefined) return error instanceof TypeError;
  if (code === 'CONNECTION' || code === 'TIMEOUT' || code === 'UNEXPECTED_RESPONSE') return true;
  // A session that ended is renewed by a login on this page.
  return code === 'UNAUTHORIZED' || status === 429 || (typeof status === 'number' && status >= 500);
}

export function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
