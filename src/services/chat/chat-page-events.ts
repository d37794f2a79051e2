import { createHash } from 'node:crypto';
import type { StreamedEvent } from '../executions/streams/streamed-event.ts';
import { readChatMessage } from './chat-response.ts';
import { toReference } from './chat-history.ts';
import { isFinalText, isTextEvent } from './chat-text.ts';

/**
 * What a page receives. `part` names a text, of which `reset` drops what was sent. `decision` is null unless
 * the person may decide. `done`: `text` is the whole response; null: the execution failed or was stopped.
 */
export type ChatPageEvent =
  | { readonly type: 'text'; readonly part: string; readonly text: string }
  | { readonly type: 'reset'; readonly part: string }
  | { readonly type: 'approval'; readonly decision: { readonly title: string; readonly url: string } | null }
  | { readonly type: 'done'; readonly ref: string; readonly text: string | null };

/**
 * Reduces the events of an execution to what people on a page may see: no calls of tools, no errors, and of
 * nodes only the texts of the response.
 */
export function createPageEvents(options: {
  readonly finalNodes: ReadonlyMap<string, string>;
  readonly executionId: string;
  findDecision(id: string): Promise<{ title: string; url: string } | null>;
}): (streamed: StreamedEvent) => Promise<ChatPageEvent[]> {
  return async ({ node, event }) => {
    if (node === null) {
      const { status, output } = event;
      const text = status === 'completed' ? readChatMessage(output).text : null;
      return [{ type: 'done', ref: toReference(options.executionId), text }];
    }
    if (event.type === 'approval')
      return event.status === 'open'
        ? [{ type: 'approval', decision: await options.findDecision(event.decisionId) }]
        : [];
    if (!isTextEvent(event) || !isFinalText(options.finalNodes, node.path)) return [];
    const part = createHash('sha256').update(node.path).digest('base64url').slice(0, 8);
    return [event.type === 'text' ? { type: 'text', part, text: event.text } : { type: 'reset', part }];
  };
}
