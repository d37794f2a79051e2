import type { ModelUsage, ResponsePart, ToolCallPart } from '../../../contract/ai/models.ts';
import { isObject, type Json } from '../../../lib/json/json.ts';
import { joinText, NO_USAGE } from '../model-run.ts';

/** The output of a node `llm`. */
export type TurnResponse = {
  text: string;
  content: readonly ResponsePart[];
  finishReason: string;
  usage: ModelUsage;
  cost: number | null;
  model: string;
};

/** Reads the output of a node `llm`; null if it is another value. */
export function readResponse(value: Json): TurnResponse | null {
  if (!isObject(value) || !isObject(value['usage'] ?? null)) return null;
  const { text, content, finish_reason: finishReason, usage, cost, model } = value;
  if (typeof text !== 'string' && !Array.isArray(content)) return null;
  const parts = Array.isArray(content)
    ? (content as unknown as ResponsePart[])
    : [{ type: 'text' as const, text: text as string }];
  return {
    text: joinText(parts),
    content: parts,
    finishReason: typeof finishReason === 'string' ? finishReason : 'other',
    usage: { ...NO_USAGE, ...(usage as unknown as ModelUsage) },
    cost: typeof cost === 'number' ? cost : null,
    model: typeof model === 'string' ? model : '',
  };
}

/** The part of the next message that has the result of a tool call; null while the call has none. */
export function createResultPart(call: {
  readonly part: ToolCallPart;
  readonly result: { readonly result: Json; readonly isError: boolean } | null;
}) {
  return {
    type: 'tool_result' as const,
    id: call.part.id,
    name: call.part.name,
    result: call.result?.result ?? null,
    ...(call.result?.isError === true ? { is_error: true as const } : {}),
  };
}
