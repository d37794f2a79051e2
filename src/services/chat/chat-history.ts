import { createHash } from 'node:crypto';
import { isObject, type Json } from '../../lib/json/json.ts';
import type { StoredTurn } from '../../ports/store/ai/threads.ts';

/** A message that a page shows. `ref`: of the execution, without its id. */
export type ChatHistoryEntry = {
  readonly ref: string;
  readonly role: 'user' | 'assistant';
  readonly text: string;
};

/** Names an execution for a page, without its id. */
export function toReference(executionId: string): string {
  return createHash('sha256').update(executionId).digest('base64url').slice(0, 16);
}

/** The texts of the people and of the responses. Calls of tools are not for the people who write there. */
export function readHistory(turns: readonly StoredTurn[]): ChatHistoryEntry[] {
  return turns.flatMap(({ executionId, messages }) => {
    const ref = toReference(executionId);
    const entries: ChatHistoryEntry[] = [];
    for (const message of messages) {
      if (!isObject(message)) continue;
      const { role, content = null } = message;
      if (role !== 'user' && role !== 'assistant') continue;
      const text = readText(content);
      const last = entries.at(-1);
      if (text === '') continue;
      // The texts of the turns of an agent are one response.
      if (role === 'assistant' && last?.role === 'assistant')
        entries[entries.length - 1] = { ...last, text: `${last.text}\n\n${text}` };
      else entries.push({ ref, role, text });
    }
    return entries;
  });
}

function readText(content: Json): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.flatMap((part) =>
    isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? [part['text']] : [],
  );
  return texts.join('\n');
}
