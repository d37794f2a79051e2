import { toAmount } from '../../contract/ai/usage.ts';
import type { LanguageModelV4Content, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import type { ResponsePart, FinishReason, ModelResponse, ModelUsage } from '../../contract/ai/models.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';

/** What is read of a result. */
export type ModelResult = Pick<LanguageModelV4GenerateResult, 'content' | 'finishReason' | 'usage'> & {
  readonly response?: { readonly modelId?: string | undefined } | undefined;
};

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  error: 'error',
};

/** Reads the result of a call, without the sources and files of the model's own tools. */
export function readResponse(result: ModelResult, model: string): Omit<ModelResponse, 'cost'> {
  return {
    content: result.content.flatMap(readPart),
    finishReason: FINISH_REASONS[result.finishReason.unified] ?? 'other',
    usage: readUsage(result.usage),
    model: result.response?.modelId ?? model,
  };
}

function readPart(part: LanguageModelV4Content): ResponsePart[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...readMetadata(part.providerMetadata) }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...readMetadata(part.providerMetadata) }];
    case 'tool-call':
      return [
        {
          type: 'tool_call',
          id: part.toolCallId,
          name: part.toolName,
          arguments: readArguments(part.input),
          ...readMetadata(part.providerMetadata),
        },
      ];
    case 'custom':
      return [{ type: 'custom', kind: part.kind, ...readMetadata(part.providerMetadata) }];
    default:
      return [];
  }
}

/** Models write nothing, or null, when a tool has no parameters. */
function readArguments(text: string): Json {
  if (text.trim() === '') return {};
  try {
    return (JSON.parse(text) as Json) ?? {};
  } catch {
    return text;
  }
}

/** As JSON: the libraries set fields to undefined. */
function readMetadata(metadata: object | undefined): { metadata?: JsonObject } {
  if (metadata === undefined) return {};
  const copy = JSON.parse(JSON.stringify(metadata)) as JsonObject;
  const isEmpty = Object.values(copy).every((one) => Object.keys(one ?? {}).length === 0);
  return isEmpty ? {} : { metadata: copy };
}

function readUsage({ inputTokens, outputTokens }: LanguageModelV4GenerateResult['usage']): ModelUsage {
  return {
    input_tokens: toAmount(inputTokens.total ?? 0),
    cached_input_tokens: toAmount(inputTokens.cacheRead ?? 0),
    output_tokens: toAmount(outputTokens.total ?? 0),
    reasoning_tokens: toAmount(outputTokens.reasoning ?? 0),
  };
}
