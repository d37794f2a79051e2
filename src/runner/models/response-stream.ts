import type { LanguageModelV4Content, LanguageModelV4StreamResult } from '@ai-sdk/provider';
import { REASONING_SEPARATOR, type ModelCall } from '../../contract/ai/models.ts';
import type { ModelResult } from './response.ts';

/** What the libraries report when the provider gave no reason, because the connection ended. */
const NO_REASONS: ReadonlySet<string> = new Set(['other', 'interrupted']);

type OpenPart = { type: 'text' | 'reasoning'; text: string; providerMetadata?: object };
type OnPiece = NonNullable<ModelCall['onPiece']>;

/** Reads a stream to its end and passes its pieces on. @throws if it fails, or ends before the response. */
export async function collectResponse(
  { stream }: LanguageModelV4StreamResult,
  onPiece: OnPiece,
): Promise<ModelResult> {
  const content: LanguageModelV4Content[] = [];
  const open = new Map<string, OpenPart>();
  const tools = new Map<string, string>();
  const reasoning = createReasoningWriter(onPiece);
  let end: Pick<ModelResult, 'finishReason' | 'usage'> | null = null;
  let modelId: string | undefined;
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const part = next.value;
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const started: OpenPart = { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' };
        keepMetadata(started, part);
        open.set(createKey(part), started);
        content.push(started as LanguageModelV4Content);
        break;
      }
      case 'text-delta':
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end': {
        const started = open.get(createKey(part));
        if (started === undefined) break;
        keepMetadata(started, part);
        if (!('delta' in part)) break;
        started.text += part.delta;
        if (part.delta === '') break;
        if (part.type === 'text-delta') onPiece({ kind: 'text' }, part.delta);
        else reasoning(started, part.delta);
        break;
      }
      case 'tool-input-start':
        tools.set(part.id, part.toolName);
        break;
      case 'tool-input-delta':
        if (part.delta !== '')
          onPiece({ kind: 'tool_arguments', callId: part.id, tool: tools.get(part.id) ?? '' }, part.delta);
        break;
      case 'tool-call':
      case 'custom':
        content.push(part);
        break;
      case 'response-metadata':
        modelId = part.modelId ?? modelId;
        break;
      case 'finish':
        end = { finishReason: part.finishReason, usage: part.usage };
        break;
      case 'error':
        throw part.error instanceof Error ? part.error : new Error(describe(part.error));
    }
  }
  if (end === null || (end.finishReason.raw === undefined && NO_REASONS.has(end.finishReason.unified)))
    throw new Error('the stream ended before the response did');
  return { content, ...end, response: { modelId } };
}

/** Separates the parts of the reasoning, as in the text of the whole response. */
function createReasoningWriter(onPiece: OnPiece): (part: OpenPart, text: string) => void {
  let last: OpenPart | null = null;
  return (part, text) => {
    const separator = last === null || last === part ? '' : REASONING_SEPARATOR;
    last = part;
    onPiece({ kind: 'reasoning' }, separator + text);
  };
}

const createKey = ({ type, id }: { type: string; id: string }): string => `${type.split('-', 1)[0]} ${id}`;

/** The last part has what a provider attached to the whole. */
function keepMetadata(started: OpenPart, { providerMetadata }: { providerMetadata?: object }): void {
  if (providerMetadata !== undefined) started.providerMetadata = providerMetadata;
}

const describe = (error: unknown): string =>
  typeof error === 'string' ? error : JSON.stringify(error ?? 'unknown error');
