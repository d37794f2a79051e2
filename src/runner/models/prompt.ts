import type { JSONValue, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ResponsePart, ModelCall, ModelMessage, ToolResultPart } from '../../contract/ai/models.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { DATA_NOTE, markAsData, OPENING_MARK } from '../../lib/text/untrusted-data.ts';

/** What a provider attached to a part, under its name. */
type ProviderOptions = Record<string, Record<string, JSONValue>>;

/**
 * The messages of a conversation in the format of the providers' libraries. Results of tools are marked as
 * data.
 */
export function createPrompt({
  messages,
  tools,
  loadFile,
}: Pick<ModelCall, 'messages' | 'tools' | 'loadFile'>): Promise<LanguageModelV4Prompt> {
  const all = tools.length > 0 || messages.some(hasData) ? addDataNote(messages) : messages;
  return Promise.all(all.map((message) => createMessage(message, loadFile)));
}

function hasData({ role, content }: ModelMessage): boolean {
  if (role === 'tool') return true;
  if (typeof content === 'string') return content.includes(OPENING_MARK);
  return content.some((part) => part.type === 'text' && part.text.includes(OPENING_MARK));
}

/** Some models accept only one system message, at the beginning. */
function addDataNote(messages: readonly ModelMessage[]): ModelMessage[] {
  const [first, ...rest] = messages;
  return first?.role === 'system'
    ? [{ role: 'system', content: `${first.content}\n\n${DATA_NOTE}` }, ...rest]
    : [{ role: 'system', content: DATA_NOTE }, ...messages];
}

async function createMessage(
  message: ModelMessage,
  loadFile: ModelCall['loadFile'],
): Promise<LanguageModelV4Message> {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', content: await createUserParts(message.content, loadFile) };
    case 'assistant':
      return {
        role: 'assistant',
        content:
          typeof message.content === 'string'
            ? [{ type: 'text', text: message.content }]
            : message.content.map(createResponsePart),
      };
    case 'tool':
      return { role: 'tool', content: message.content.map(createResult) };
  }
}

type UserMessage = Extract<LanguageModelV4Message, { role: 'user' }>;
type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>;
type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>;

async function createUserParts(
  content: Extract<ModelMessage, { role: 'user' }>['content'],
  loadFile: ModelCall['loadFile'],
): Promise<UserMessage['content']> {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Promise.all(
    content.map(async (part) => {
      if (part.type === 'text') return { type: 'text' as const, text: part.text };
      const { name, contentType, bytes } = await loadFile(part.file);
      return {
        type: 'file' as const,
        filename: name,
        mediaType: contentType,
        data: { type: 'data' as const, data: bytes },
      };
    }),
  );
}

function createResponsePart(part: ResponsePart): AssistantMessage['content'][number] {
  const options = createOptions(part.metadata);
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, ...options };
    case 'reasoning':
      return { type: 'reasoning', text: part.text, ...options };
    case 'tool_call':
      return {
        type: 'tool-call',
        toolCallId: part.id,
        toolName: part.name,
        input: part.arguments,
        ...options,
      };
    case 'custom':
      return { type: 'custom', kind: part.kind as `${string}.${string}`, ...options };
  }
}

function createResult({ id, name, result, is_error }: ToolResultPart): ToolMessage['content'][number] {
  const value = markAsData(typeof result === 'string' ? result : JSON.stringify(result));
  const type = is_error === true ? 'error-text' : 'text';
  return { type: 'tool-result', toolCallId: id, toolName: name, output: { type, value } };
}

function createOptions(metadata: JsonObject | undefined): { providerOptions?: ProviderOptions } {
  return metadata === undefined ? {} : { providerOptions: metadata as ProviderOptions };
}
