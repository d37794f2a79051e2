import type { FilePart, ModelMessage, ModelTool, TextPart, ToolCallPart } from '../../contract/ai/models.ts';
import { createValidationError, type FieldError } from '../../contract/errors.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { parseJson } from '../../lib/json/parse-json.ts';
import { limits } from '../../ports/limits.ts';
import type { TakeFile } from '../webhooks/webhook-files.ts';
import { readDataUrl } from './data-url.ts';

const MAX_MESSAGES = 10_000;
const MAX_TOOLS = 128;
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** What the workflow does not get as `parameters`, because the service evaluates it. */
const OWN_FIELDS = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'response_format',
  'user',
  'n',
]);
/** Features of the protocol that a workflow cannot offer, and their only accepted value. */
const UNSUPPORTED: readonly (readonly [name: string, accepted: Json | undefined])[] = [
  ['n', 1],
  ['logprobs', false],
  ['top_logprobs', undefined],
  ['functions', undefined],
  ['function_call', undefined],
  ['audio', undefined],
];

/** A request of a chat completion, which is the input of the workflow. */
export type ChatRequest = {
  readonly model: string;
  readonly isStreamed: boolean;
  /** Whether a stream ends with the usage. */
  readonly includesUsage: boolean;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly schema: JsonObject | null;
  readonly user: string | null;
  /** All other fields, such as `temperature`. */
  readonly parameters: JsonObject;
};

/** Reads the body of a request. @throws {WeftError} VALIDATION_ERROR */
export function readChatRequest(body: unknown, takeFile: TakeFile): ChatRequest {
  if (!isObject(body as Json)) throw createValidationError([{ field: 'body', issue: 'must be an object' }]);
  const reader = new ChatReader(takeFile);
  const request = reader.read(body as JsonObject);
  if (reader.errors.length > 0) throw createValidationError(reader.errors);
  return request;
}

/** The input of the workflow. A node `llm` without a prompt accepts it as a conversation. */
export function createChatInput({
  model,
  messages,
  tools,
  schema,
  user,
  parameters,
}: ChatRequest): JsonObject {
  return {
    message: readLastText(messages),
    messages: messages as unknown as Json,
    ...(tools.length === 0 ? {} : { tools: tools as unknown as Json }),
    ...(schema === null ? {} : { response_schema: schema }),
    model,
    user,
    conversation: user ?? '',
    parameters,
  };
}

/** The text of the last message, if it is from the user. */
function readLastText(messages: readonly ModelMessage[]): string {
  const last = messages.at(-1);
  if (last?.role !== 'user') return '';
  if (typeof last.content === 'string') return last.content;
  return last.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

class ChatReader {
  readonly errors: FieldError[] = [];
  readonly #takeFile: TakeFile;
  /** The names of the tools that the assistant called, by the id of the call. */
  readonly #calls = new Map<string, string>();

  constructor(takeFile: TakeFile) {
    this.#takeFile = takeFile;
  }

  read(body: JsonObject): ChatRequest {
    const { model, user = null } = body;
    // The protocol allows null in place of an absent field.
    const stream = body['stream'] ?? false;
    const options = body['stream_options'] ?? {};
    if (typeof model !== 'string' || model === '') this.#fail('model', 'must be the name of a model');
    if (typeof stream !== 'boolean') this.#fail('stream', 'must be true or false');
    const includesUsage = isObject(options) ? (options['include_usage'] ?? false) : null;
    if (typeof includesUsage !== 'boolean')
      this.#fail('stream_options', 'must be an object, with include_usage true or false');
    if (user !== null && typeof user !== 'string') this.#fail('user', 'must be a string');
    for (const [field, accepted] of UNSUPPORTED) {
      const value = body[field] ?? null;
      if (value === null || value === accepted) continue;
      this.#fail(field, accepted === undefined ? 'is not supported' : `must be ${JSON.stringify(accepted)}`);
    }
    const { modalities = null } = body;
    if (modalities !== null && JSON.stringify(modalities) !== '["text"]')
      this.#fail('modalities', 'must be ["text"]');
    return {
      model: typeof model === 'string' ? model : '',
      isStreamed: stream === true,
      includesUsage: includesUsage === true,
      messages: this.#readMessages(body['messages'] ?? null),
      tools: this.#readTools(body['tools'] ?? null, body['tool_choice'] ?? 'auto'),
      schema: this.#readSchema(body['response_format'] ?? null),
      user: typeof user === 'string' ? user : null,
      parameters: Object.fromEntries(Object.entries(body).filter(([name]) => !OWN_FIELDS.has(name))),
    };
  }

  #fail(field: string, issue: string): void {
    this.errors.push({ field, issue });
  }

  #readMessages(value: Json): ModelMessage[] {
    if (!Array.isArray(value) || value.length === 0 || value.length > MAX_MESSAGES) {
      this.#fail('messages', `must be a list of 1 to ${MAX_MESSAGES} messages`);
      return [];
    }
    const messages: ModelMessage[] = [];
    for (const [i, one] of value.entries()) {
      const message = this.#readMessage(one, `messages[${i}]`);
      const last = messages.at(-1);
      // The results of one turn are one message.
      if (message?.role === 'tool' && last?.role === 'tool')
        messages[messages.length - 1] = { role: 'tool', content: last.content.concat(message.content) };
      else if (message !== null) messages.push(message);
    }
    return messages;
  }

  #readMessage(value: Json, field: string): ModelMessage | null {
    if (!isObject(value)) {
      this.#fail(field, 'must be an object');
      return null;
    }
    const content = value['content'] ?? null;
    switch (value['role']) {
      case 'system':
      case 'developer':
        return { role: 'system', content: this.#readText(content, `${field}.content`) };
      case 'user':
        return { role: 'user', content: this.#readUserContent(content, `${field}.content`) };
      case 'assistant':
        return this.#readAssistant(value, field);
      case 'tool':
        return this.#readToolResult(value, field);
      default:
        this.#fail(`${field}.role`, 'must be system, developer, user, assistant or tool');
        return null;
    }
  }

  /** A text, or a list of parts that are texts. */
  #readText(value: Json, field: string): string {
    if (typeof value === 'string') return value;
    const texts: string[] = [];
    if (Array.isArray(value))
      for (const part of value)
        if (isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string')
          texts.push(part['text']);
    if (!Array.isArray(value) || texts.length !== value.length)
      this.#fail(field, 'must be a string, or a list of parts of the type text');
    return texts.join('\n');
  }

  #readUserContent(value: Json, field: string): string | (TextPart | FilePart)[] {
    if (typeof value === 'string') return value;
    if (!Array.isArray(value) || value.length === 0) {
      this.#fail(field, 'must be a string, or a list of parts');
      return '';
    }
    return value.flatMap((part, i) => this.#readUserPart(part, `${field}[${i}]`));
  }

  #readUserPart(part: Json, field: string): (TextPart | FilePart)[] {
    const { type = null, text = null, image_url: image = null, file = null } = isObject(part) ? part : {};
    switch (type) {
      case 'text':
        if (typeof text === 'string') return [{ type, text }];
        this.#fail(`${field}.text`, 'must be a string');
        return [];
      case 'image_url':
        return this.#readFile(isObject(image) ? image['url'] : null, 'image', `${field}.image_url.url`);
      case 'file': {
        const { file_data: data = null, filename = 'file' } = isObject(file) ? file : {};
        const name = typeof filename === 'string' ? filename : 'file';
        return this.#readFile(data, name, `${field}.file.file_data`);
      }
      default:
        this.#fail(`${field}.type`, 'must be text, image_url or file');
        return [];
    }
  }

  #readFile(url: Json | undefined, name: string, field: string): FilePart[] {
    const found = typeof url === 'string' ? readDataUrl(url) : null;
    if (found === null) {
      this.#fail(
        field,
        'must be a data URL such as data:image/png;base64,…: addresses and ids of files are not supported',
      );
      return [];
    }
    return [{ type: 'file', file: this.#takeFile(name, found.contentType, found.bytes) }];
  }

  #readAssistant(message: JsonObject, field: string): ModelMessage {
    const { content = null, tool_calls: called = null, refusal = null } = message;
    // Some clients send an empty list with a response that calls no tool.
    const calls = Array.isArray(called) && called.length === 0 ? null : called;
    if (content === null && calls === null && refusal === null)
      this.#fail(`${field}.content`, 'is required, unless there are tool_calls');
    const given = content ?? refusal;
    const text = given === null ? '' : this.#readText(given, `${field}.content`);
    if (calls === null) return { role: 'assistant', content: text };
    if (!Array.isArray(calls)) {
      this.#fail(`${field}.tool_calls`, 'must be a list');
      return { role: 'assistant', content: text };
    }
    const parts = calls.flatMap((call, i) => this.#readToolCall(call, `${field}.tool_calls[${i}]`));
    return {
      role: 'assistant',
      content: text === '' ? parts : [{ type: 'text' as const, text }, ...parts],
    };
  }

  #readToolCall(call: Json, field: string): ToolCallPart[] {
    const { id = null, function: called = null } = isObject(call) ? call : {};
    const { name = null, arguments: args = null } = isObject(called) ? called : {};
    if (typeof id !== 'string' || typeof name !== 'string' || typeof args !== 'string') {
      this.#fail(field, 'must be {id, type: "function", function: {name, arguments}}, with strings');
      return [];
    }
    this.#calls.set(id, name);
    return [{ type: 'tool_call', id, name, arguments: parseArguments(args) }];
  }

  #readToolResult(message: JsonObject, field: string): ModelMessage | null {
    const { tool_call_id: id = null, content = null } = message;
    const name = typeof id === 'string' ? this.#calls.get(id) : undefined;
    if (typeof id !== 'string' || name === undefined) {
      this.#fail(`${field}.tool_call_id`, 'must be the id of a call of an earlier message');
      return null;
    }
    const result = this.#readText(content, `${field}.content`);
    return { role: 'tool', content: [{ type: 'tool_result', id, name, result }] };
  }

  #readTools(value: Json, choice: Json): ModelTool[] {
    if (choice !== 'auto' && choice !== 'none') this.#fail('tool_choice', 'must be auto or none');
    if (value === null) return [];
    if (!Array.isArray(value) || value.length > MAX_TOOLS) {
      this.#fail('tools', `must be a list of at most ${MAX_TOOLS} tools`);
      return [];
    }
    const tools = value.flatMap((tool, i) => this.#readTool(tool, `tools[${i}]`));
    return choice === 'none' ? [] : tools;
  }

  #readTool(tool: Json, field: string): ModelTool[] {
    const { type = null, function: declared = null } = isObject(tool) ? tool : {};
    if (type !== 'function' || !isObject(declared)) {
      this.#fail(field, 'must be {type: "function", function: {name, description, parameters}}');
      return [];
    }
    const { name = null, description = null, parameters = null } = declared;
    if (typeof name !== 'string' || !TOOL_NAME.test(name))
      this.#fail(`${field}.function.name`, 'must have 1 to 64 letters, digits, - and _');
    if (description !== null && typeof description !== 'string')
      this.#fail(`${field}.function.description`, 'must be a string');
    if (parameters !== null && !isObject(parameters))
      this.#fail(`${field}.function.parameters`, 'must be a JSON Schema of an object');
    return [
      {
        name: typeof name === 'string' ? name : '',
        description: typeof description === 'string' ? description : '',
        parameters: isObject(parameters) ? parameters : { type: 'object', properties: {} },
      },
    ];
  }

  #readSchema(format: Json): JsonObject | null {
    if (format === null) return null;
    const { type = null, json_schema: given = null } = isObject(format) ? format : {};
    if (type === 'text') return null;
    const schema = isObject(given) ? (given['schema'] ?? null) : null;
    if (type === 'json_schema' && isObject(schema)) return schema;
    this.#fail('response_format', 'must be {type: "text"} or {type: "json_schema", json_schema: {schema}}');
    return null;
  }
}

/** The text itself if it is not JSON, as a model may write it. */
function parseArguments(text: string): Json {
  try {
    return parseJson(text, limits.json);
  } catch {
    return text;
  }
}
