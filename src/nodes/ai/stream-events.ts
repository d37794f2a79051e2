import type { ModelUsage, ResponsePart } from '../../contract/ai/models.ts';
import type { NodeStreamEvent } from '../../contract/ai/stream-events.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import { joinReasoning, joinText } from './model-run.ts';

/** What a node that called a model reports: its reasoning and its text, then the usage of the call. */
export function createTextEvents(outputs: Readonly<Record<string, Json>>): NodeStreamEvent[] {
  const { text: own, content } = readResult(outputs);
  const parts = Array.isArray(content) ? (content as unknown as ResponsePart[]) : [];
  const text = own ?? joinText(parts);
  const reasoning = joinReasoning(parts);
  return [
    ...(reasoning !== '' ? [{ type: 'reasoning' as const, text: reasoning }] : []),
    ...(typeof text === 'string' && text !== '' ? [{ type: 'text' as const, text }] : []),
    ...createUsageEvents(outputs),
  ];
}

/** What a node that called a model for a value reports. */
export function createUsageEvents(outputs: Readonly<Record<string, Json>>): NodeStreamEvent[] {
  const { usage, model, cost, finish_reason: finishReason } = readResult(outputs);
  if (!isObject(usage ?? null)) return [];
  return [
    {
      type: 'usage',
      model: typeof model === 'string' ? model : '',
      finish_reason: typeof finishReason === 'string' ? finishReason : 'stop',
      usage: usage as unknown as ModelUsage,
      cost: typeof cost === 'number' ? cost : null,
    },
  ];
}

function readResult(outputs: Readonly<Record<string, Json>>) {
  const [result = null] = Object.values(outputs);
  return isObject(result) ? result : {};
}
