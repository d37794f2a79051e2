import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message in OpenAI's format of chat completions. */
export type ChatMessage = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content?: string | null;
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
};

export type ChatRequest = {
  readonly model: string;
  /** Absent in a request of embeddings. */
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { function: { name: string; parameters: unknown } }[];
  readonly response_format?: unknown;
  readonly stream?: boolean;
  /** The texts of a request of embeddings, which has no messages. */
  readonly input?: string | readonly string[];
};

/**
 * What the model writes. `arguments` as a string is sent unchanged, for JSON that is not valid. `isValue`:
 * they are sent as a value instead of a text, as some servers do.
 */
export type Reply = {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly { name: string; arguments: unknown; isValue?: boolean }[];
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** [input, output]. Default: [10, 5]. */
  readonly tokens?: readonly [number, number];
};

export type Script = (request: ChatRequest, turn: number) => Reply;

type ToolReply = { readonly status?: number; readonly body?: unknown };

/** A request and how it ended. `key` identifies its content. */
export type CountedRequest = {
  readonly kind: 'model' | 'tool';
  readonly key: string;
  readonly idempotencyKey: string;
  readonly receivedAt: number;
  readonly body: unknown;
  /** When the response was sent; null: not yet. */
  answeredAt: number | null;
};

export type ModelServer = {
  /** Ends with /v1. */
  readonly url: string;
  /** The address of a tool. */
  readonly toolUrl: (name: string) => string;
  readonly requests: CountedRequest[];
  readonly chats: ChatRequest[];
  /** Arguments by tool. */
  readonly toolCalls: { name: string; body: unknown }[];
  close(): Promise<void>;
};

/**
 * A model behind OpenAI's chat completions, and HTTP tools beside it. A script decides what the model writes,
 * from the transcript. Each request is counted by its content, independent of the service.
 */
export async function startModelServer(
  script: Script,
  options: {
    readonly tool?: (name: string, body: unknown) => ToolReply;
    /** ms before each response. */
    readonly delay?: () => number;
    /** Called before each response of the model. */
    readonly before?: (request: ChatRequest) => Promise<void>;
    /** Called before each word of a streamed text; false cuts the connection. */
    readonly pace?: (word: number) => Promise<boolean>;
  } = {},
): Promise<ModelServer> {
  const {
    tool = (): ToolReply => ({ body: { ok: true } }),
    delay = () => 0,
    before = () => Promise.resolve(),
    pace = () => Promise.resolve(true),
  } = options;
  const requests: CountedRequest[] = [];
  const chats: ChatRequest[] = [];
  const toolCalls: { name: string; body: unknown }[] = [];
  const server: Server = createServer((request, response) => {
    void readBody(request).then((text) => {
      const path = request.url ?? '';
      const isTool = path.startsWith('/tools/');
      const body = text === '' ? null : (JSON.parse(text) as unknown);
      const counted: CountedRequest = {
        kind: isTool ? 'tool' : 'model',
        key: hash(`${path} ${JSON.stringify(isTool ? body : (body as ChatRequest).messages)}`),
        idempotencyKey: String(request.headers['idempotency-key'] ?? ''),
        receivedAt: performance.now(),
        body,
        answeredAt: null,
      };
      requests.push(counted);
      const reply = isTool ? replyAsTool(path, body) : replyAsModel(body as ChatRequest);
      const respond = (): void => {
        if (response.destroyed) return;
        const chat = body as ChatRequest | null;
        if (!isTool && chat?.stream === true && reply.status === 200)
          void sendChunks(response, reply.body as Completion, pace).then(() => {
            counted.answeredAt = performance.now();
          });
        else {
          send(response, reply);
          counted.answeredAt = performance.now();
        }
      };
      const ready = isTool ? Promise.resolve() : before(body as ChatRequest);
      void ready.then(() => setTimeout(respond, delay()));
    });
  });
  const replyAsTool = (path: string, body: unknown) => {
    const name = path.slice('/tools/'.length);
    toolCalls.push({ name, body });
    const { status = 200, body: result = {} } = tool(name, body);
    return { status, headers: {}, body: result };
  };
  const replyAsModel = (sent: ChatRequest) => {
    const chat = withoutMarks(sent);
    chats.push(chat);
    if (chat.input !== undefined) return replyWithEmbeddings([chat.input].flat());
    const turn = chat.messages.filter(({ role }) => role === 'assistant').length;
    const reply = script(chat, turn);
    const { status = 200, headers = {} } = reply;
    if (status !== 200) return { status, headers, body: { error: { message: reply.text ?? 'no' } } };
    return { status, headers, body: createCompletion(chat, turn, reply) };
  };
  // A client could otherwise send a request on a connection that is being closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/v1`,
    toolUrl: (name) => `${origin}/tools/${name}`,
    requests,
    chats,
    toolCalls,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Without the marks of data and the note about them, which `requests` contain. */
function withoutMarks(chat: ChatRequest): ChatRequest {
  if (chat.messages === undefined) return chat;
  const messages = chat.messages.flatMap((message) => {
    if (typeof message.content !== 'string') return [message];
    const content = message.content
      .replace(message.role === 'system' ? /(?:^|\n\n)Text between <untrusted_data>.*$/s : /$^/, '')
      .replace(/<untrusted_data>\n([\s\S]*?)\n<\/untrusted_data>/g, '$1');
    return message.role === 'system' && content === '' ? [] : [{ ...message, content }];
  });
  return { ...chat, messages };
}

const replyWithEmbeddings = (texts: readonly string[]) => ({
  status: 200,
  headers: {},
  body: {
    data: texts.map((text, index) => ({ index, embedding: [text.length, index] })),
    usage: { prompt_tokens: texts.length, total_tokens: texts.length },
  },
});

function createCompletion(
  chat: ChatRequest,
  turn: number,
  { text, reasoning, calls = [], tokens = [10, 5] }: Reply,
) {
  const [input, output] = tokens;
  return {
    id: 'completion',
    object: 'chat.completion',
    created: 1,
    model: chat.model,
    choices: [
      {
        index: 0,
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
        message: {
          role: 'assistant',
          content: text ?? null,
          ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map((call, i) => ({
                  id: `call_${turn}_${i}`,
                  type: 'function',
                  function: {
                    name: call.name,
                    arguments:
                      typeof call.arguments === 'string' || call.isValue === true
                        ? call.arguments
                        : JSON.stringify(call.arguments),
                  },
                })),
              }),
        },
      },
    ],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  };
}

function send(
  response: ServerResponse,
  { status, headers, body }: { status: number; headers: Record<string, string>; body: unknown },
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

type Completion = ReturnType<typeof createCompletion>;

/** Sends a completion as server-sent events, a text word by word. */
async function sendChunks(
  response: ServerResponse,
  { id, created, model, choices, usage }: Completion,
  pace: (word: number) => Promise<boolean>,
): Promise<void> {
  const [{ message, finish_reason }] = choices as [Completion['choices'][number]];
  const write = (fields: object): void => {
    response.write(
      `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model, ...fields })}\n\n`,
    );
  };
  const writeDelta = (delta: object, reason: string | null = null): void =>
    write({ choices: [{ index: 0, delta, finish_reason: reason }] });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  writeDelta({ role: 'assistant' });
  for (const [i, word] of (message.reasoning_content?.split(/(?<= )/) ?? []).entries()) {
    if (!(await pace(i))) return void response.destroy();
    writeDelta({ reasoning_content: word });
  }
  for (const [i, word] of (message.content?.split(/(?<= )/) ?? []).entries()) {
    if (!(await pace(i))) return void response.destroy();
    writeDelta({ content: word });
  }
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    const { arguments: args } = call.function;
    if (typeof args !== 'string') {
      writeDelta({ tool_calls: [{ index, ...call }] });
      continue;
    }
    const [first = '', ...rest] = args.split(/(?<=,)/);
    writeDelta({
      tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: first } }],
    });
    for (const [i, piece] of rest.entries()) {
      if (!(await pace(i))) return void response.destroy();
      writeDelta({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  writeDelta({}, finish_reason);
  write({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
