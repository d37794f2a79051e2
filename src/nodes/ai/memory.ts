import { Type, type Static } from 'typebox';
import type { ModelMessage } from '../../contract/ai/models.ts';
import { MAX_THREAD_KEY_LENGTH, MAX_TURN_BYTES, type ThreadTurn } from '../../contract/ai/threads.ts';
import type { FieldError } from '../../contract/errors.ts';
import type { NodeContext, Outcome } from '../../contract/node-type.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { parseDuration, parseOptionalDuration } from '../../lib/time/duration.ts';
import { invalid } from '../outcome.ts';
import { closed, duration } from '../schema.ts';
import { ui } from '../ui-hints.ts';

export const DEFAULT_MEMORY_TOKENS = 8_000;
const MAX_MEMORY_TOKENS = 1_000_000;
/** The characters of each text in a turn that is too large. */
const SHORT_TEXT = 32 * 1024;

const memorySchema = closed({
  thread: Type.String({
    title: 'Thread',
    ...ui({ placeholder: '{{ trigger.body.customer }}' }),
    description:
      'The key of the conversation: a chat, a customer, a ticket. Executions with the same key continue the same conversation. An empty key is no memory.',
  }),
  namespace: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
      title: 'Namespace',
      description:
        'Workflows of the same owner that name the same namespace share its threads. Default: the threads of this workflow.',
    }),
  ),
  maxTokens: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_MEMORY_TOKENS,
      default: DEFAULT_MEMORY_TOKENS,
      title: 'Maximum tokens',
      description:
        'The newest turns of the thread that have at most this number of tokens together are sent to the model. A token is estimated as four bytes.',
    }),
  ),
  retention: Type.Optional(
    duration({
      title: 'Retention',
      description: 'The thread is deleted when nothing was added for this time. Default: it is kept.',
    }),
  ),
});
type MemoryConfig = Static<typeof memorySchema>;

export const memoryField = Type.Optional(
  Type.Unsafe<MemoryConfig>({
    ...memorySchema,
    title: 'Memory',
    ...ui({ advanced: true }),
    description:
      'A thread whose earlier turns the model reads. Its turns are stored when the node completes. Default: no memory.',
  }),
);

export const memoryTemplates = {
  'memory.namespace': 'literal',
  'memory.maxTokens': 'literal',
  'memory.retention': 'literal',
} as const;

export function validateMemory(config: JsonObject): FieldError[] {
  const { memory, history } = config;
  if (memory === undefined) return [];
  const errors: FieldError[] = [];
  if (!isObject(memory)) return [{ field: 'memory', issue: 'must be an object, not a template' }];
  if (history !== undefined) errors.push({ field: 'history', issue: 'must not be set with memory' });
  const { retention } = memory;
  if (typeof retention === 'string' && parseDuration(retention) === 0)
    errors.push({ field: 'memory.retention', issue: 'must be a duration of more than 0' });
  return errors;
}

/** What an agent loads before its body begins. */
export type LoadedMemory = { thread: ThreadTurn['thread']; messages: Json[] };

/** Reads a thread; an outcome if its key cannot be one. */
export async function readMemory(
  ctx: Pick<NodeContext, 'threads'>,
  { thread: key, namespace, maxTokens = DEFAULT_MEMORY_TOKENS }: MemoryConfig,
): Promise<LoadedMemory | Outcome> {
  if (key === '') return { kind: 'begin', value: null };
  if (key.length > MAX_THREAD_KEY_LENGTH)
    return invalid('memory.thread', `must have at most ${MAX_THREAD_KEY_LENGTH} characters`);
  const thread = { namespace: namespace ?? null, key };
  return { thread, messages: await ctx.threads.read(thread, maxTokens) };
}

/**
 * The messages of a conversation that are new: those after the last one of the assistant, because the thread
 * has the ones before. System messages belong to no turn.
 */
export function selectNewMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.slice(last + 1).filter(({ role }) => role !== 'system');
}

/** Adds the results of calls that a limit prevented: providers refuse a conversation without them. */
export function closeToolCalls(messages: readonly ModelMessage[]): ModelMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || typeof last.content === 'string') return [...messages];
  const calls = last.content.filter((part) => part.type === 'tool_call');
  if (calls.length === 0) return [...messages];
  const content = calls.map(({ id, name }) => ({
    type: 'tool_result' as const,
    id,
    name,
    result: { error: 'The call was not made, because the agent had reached a limit.' },
    is_error: true as const,
  }));
  return [...messages, { role: 'tool', content }];
}

/** The turn to store. Files end with their execution: only their names are kept. */
export function createTurn(
  thread: ThreadTurn['thread'],
  messages: readonly ModelMessage[],
  { retention }: MemoryConfig,
): ThreadTurn {
  const kept = messages.map(withoutFiles);
  const isTooLarge = Buffer.byteLength(JSON.stringify(kept)) > MAX_TURN_BYTES;
  return {
    thread,
    messages: (isTooLarge ? shorten(kept) : kept) as unknown as Json[],
    retention: parseOptionalDuration(retention),
  };
}

function withoutFiles(message: ModelMessage): ModelMessage {
  if (message.role !== 'user' || typeof message.content === 'string') return message;
  return {
    ...message,
    content: message.content.map((part) =>
      part.type === 'file' ? { type: 'text' as const, text: `[File: ${readName(part.file)}]` } : part,
    ),
  };
}

function readName(file: unknown): string {
  const about = isObject((file ?? null) as Json) ? (file as JsonObject)['$file'] : undefined;
  const name = isObject(about ?? null) ? (about as JsonObject)['name'] : undefined;
  return typeof name === 'string' ? name : 'file';
}

/** Without tool calls: the first message of the user and the last text of the model, both limited. */
function shorten(messages: readonly ModelMessage[]): ModelMessage[] {
  const user = messages.find(({ role }) => role === 'user');
  const assistant = messages.findLast(({ role, content }) => role === 'assistant' && toText(content) !== '');
  return [
    ...(user === undefined ? [] : [{ role: 'user' as const, content: toText(user.content) }]),
    ...(assistant === undefined ? [] : [{ role: 'assistant' as const, content: toText(assistant.content) }]),
  ];
}

function toText(content: ModelMessage['content']): string {
  const text =
    typeof content === 'string'
      ? content
      : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  if (text.length <= SHORT_TEXT) return text;
  // The cut can halve a surrogate pair.
  return `${text.slice(0, SHORT_TEXT).toWellFormed()} […]`;
}
