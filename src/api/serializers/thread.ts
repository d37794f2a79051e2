import { formatIsoTimeOrNull, formatIsoTime } from '../../lib/time/iso-time.ts';
import type { ThreadRow } from '../../ports/store/ai/threads.ts';
import type { ThreadDetail, Threads } from '../../services/threads/threads.service.ts';
import { presentList } from './accounts.ts';

function presentThread(thread: ThreadRow) {
  return {
    id: thread.id,
    key: thread.key,
    workflow_id: thread.workflowId,
    workflow_name: thread.workflowName,
    namespace: thread.namespace,
    turns: thread.turns,
    messages: thread.messages,
    tokens: thread.tokens,
    created_at: formatIsoTime(thread.createdAt),
    updated_at: formatIsoTime(thread.updatedAt),
    expires_at: formatIsoTimeOrNull(thread.expiresAt),
  };
}

export function presentThreads(list: Awaited<ReturnType<Threads['list']>>) {
  return presentList('threads', list, presentThread);
}

export function presentThreadDetail({ thread, turns }: ThreadDetail) {
  return {
    ...presentThread(thread),
    conversation: turns.map(({ executionId, path, at, messages }) => ({
      execution_id: executionId,
      node_path: path,
      created_at: formatIsoTime(at),
      messages,
    })),
  };
}
