import type { ThreadDetail } from 'weft-client';

type Message = ThreadDetail['conversation'][number]['messages'][number];
/** A row of a conversation. `title`: the name of a tool. */
export type ThreadRow = {
  readonly kind: 'user' | 'model' | 'tool';
  readonly title: string | null;
  readonly text: string;
};

/** The rows of the messages of a turn: texts, calls of tools and their results. Other parts have no row. */
export function readThreadRows(messages: readonly Message[]): ThreadRow[] {
  return messages.flatMap(({ role, content }) => {
    const kind = role === 'user' ? ('user' as const) : ('model' as const);
    if (typeof content === 'string') return [{ kind, title: null, text: content }];
    if (!Array.isArray(content)) return [];
    return (content as Record<string, unknown>[]).flatMap((part): ThreadRow[] => {
      const { type, text, name, result } = part;
      const title = typeof name === 'string' ? name : null;
      if (type === 'text' && typeof text === 'string') return [{ kind, title: null, text }];
      if (type === 'tool_call') return [{ kind, title, text: JSON.stringify(part['arguments']) }];
      if (type === 'tool_result') return [{ kind: 'tool', title, text: JSON.stringify(result) }];
      return [];
    });
  });
}
