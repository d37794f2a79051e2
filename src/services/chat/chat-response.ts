import { finishReasons, type FinishReason } from '../../contract/ai/models.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';

/** A call of a tool of the client. `arguments` is JSON. */
export type ChatToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

/** What a workflow responds to a chat. */
export type ChatMessage = {
  readonly text: string;
  readonly toolCalls: readonly ChatToolCall[];
  readonly finishReason: FinishReason;
};

/** Reads the output of a workflow: a text, the result of a model or an agent, or any other value as JSON. */
export function readChatMessage(output: Json): ChatMessage {
  if (typeof output === 'string') return { text: output, toolCalls: [], finishReason: 'stop' };
  if (!isObject(output) || !isModelResult(output))
    return { text: JSON.stringify(output), toolCalls: [], finishReason: 'stop' };
  const { text, content, finish_reason: reason } = output;
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  const toolCalls = parts.filter(({ type }) => type === 'tool_call').map(readToolCall);
  return {
    text: typeof text === 'string' ? text : joinTexts(parts),
    toolCalls,
    finishReason:
      toolCalls.length > 0 ? 'tool_calls' : (finishReasons.find((one) => one === reason) ?? 'stop'),
  };
}

/** Results of models have the tokens that were used. */
function isModelResult({ text, content, usage = null }: JsonObject): boolean {
  return isObject(usage) && (typeof text === 'string' || Array.isArray(content));
}

function readToolCall({ id, name, arguments: args = null }: JsonObject): ChatToolCall {
  return {
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  };
}

function joinTexts(parts: readonly JsonObject[]): string {
  return parts
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('');
}
