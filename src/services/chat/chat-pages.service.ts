import {
  CHAT_ID,
  MAX_CHAT_FILES,
  MAX_CHAT_TEXT_LENGTH,
  type ChatPage,
} from '../../contract/chat/chat-page.ts';
import { LINK_PARAMETER, parseExpiry } from '../../contract/forms/form-access.ts';
import { createNotFoundError, createValidationError, WeftError } from '../../contract/errors.ts';
import type { FileReference } from '../../contract/byte-source.ts';
import { isFileReference } from '../../nodes/http/file-field.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import type { FileStore } from '../../ports/files.ts';
import type { Ids } from '../../ports/ids.ts';
import type { RateCounter } from '../../ports/rate-counter.ts';
import type { AccountStore } from '../../ports/store/accounts/accounts.ts';
import type { ThreadStore } from '../../ports/store/ai/threads.ts';
import type { DecisionStore } from '../../ports/store/decisions.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { JsonRedactor } from '../credentials/redaction.ts';
import type { DecisionLinks } from '../decisions/decision-links.ts';
import type { ExecutionStreams } from '../executions/streams/execution-streams.ts';
import type { StreamedEvent } from '../executions/streams/streamed-event.ts';
import type { StreamPosition } from '../executions/streams/stream-position.ts';
import type { FormLinks } from '../forms/form-links.ts';
import type { SignedTokens } from '../signed-tokens.ts';
import { startCall, type StartCallDeps } from '../triggers/start-call.ts';
import type { NamedEndpoint } from '../triggers/named-endpoints.ts';
import { readFields, readWebhookBody } from '../webhooks/webhook-body.ts';
import { IncomingFiles } from '../webhooks/webhook-files.ts';
import { createWebhookLimit } from '../webhooks/webhook-limit.ts';
import type { ChatRegistry, ChatTarget } from './chat-registry.ts';
import { createPageEvents, type ChatPageEvent } from './chat-page-events.ts';
import { readHistory, toReference, type ChatHistoryEntry } from './chat-history.ts';

/** How long a page can be used after it was opened, ms. Then it must be loaded again. */
const TOKEN_LIFETIME_MS = 12 * 3_600_000;
/** The bytes of a conversation that a page shows when it is opened. */
const MAX_HISTORY_BYTES = 256 * 1024;

/** The person who uses a page. */
type Visitor =
  | { readonly kind: 'public' }
  | { readonly kind: 'link'; readonly name: string; readonly expiresAt: string }
  | { readonly kind: 'user'; readonly userId: string; readonly email: string };

type Endpoint = NamedEndpoint<ChatTarget> & { readonly page: ChatPage };
/** A page that was opened: what its token says. */
type Session = { readonly endpoint: Endpoint; readonly visitor: Visitor; readonly conversation: string };

export type ChatPageRequest = {
  readonly workflowId: string;
  /** Without a question mark. */
  readonly query: string;
  /** The user of the session that the browser sent; null without one. Read only by pages for users. */
  readonly signedIn: () => Promise<{ userId: string; email: string } | null>;
};

export type OpenChatPage = {
  readonly page: ChatPage;
  /** What the scripts of the page send with each request. */
  readonly token: string;
  readonly history: readonly ChatHistoryEntry[];
};

export type ChatPagesDeps = StartCallDeps & {
  registry: Pick<ChatRegistry, 'ofWorkflow' | 'findCallCount'>;
  executions: Pick<ExecutionStore, 'get' | 'findDedupe'>;
  decisions: Pick<DecisionStore, 'get'>;
  threads: Pick<ThreadStore, 'find'>;
  accounts: Pick<AccountStore, 'userById'>;
  streams: Pick<ExecutionStreams, 'open'>;
  links: Pick<FormLinks, 'find'>;
  decisionLinks: Pick<DecisionLinks, 'createToken'>;
  tokens: SignedTokens;
  ids: Ids;
  files: Pick<FileStore, 'put'>;
  /** Maximum number of messages per workflow and minute; null means no limit. */
  rateLimit: number | null;
  calls?: RateCounter;
  /** The base URL of the service, ending with /v1. */
  baseUrl(): string;
  loadRedactor(ownerId: string): Promise<JsonRedactor>;
};

/** The hosted pages of chat triggers. Each message is an execution, which does not depend on its page. */
export function createChatPages(deps: ChatPagesDeps) {
  const { clock, tokens } = deps;
  const countCall = createWebhookLimit({
    ...deps,
    findCallCount: (workflowId) => deps.registry.findCallCount(workflowId),
  });

  async function find(workflowId: string): Promise<Endpoint> {
    for (const endpoint of await deps.registry.ofWorkflow(workflowId)) {
      const { page } = endpoint.value;
      if (page !== null) return { ...endpoint, page };
    }
    throw createNotFoundError('chat');
  }

  /** @throws {WeftError} NOT_FOUND without a valid link, UNAUTHORIZED without a session. */
  async function admit(
    { route, page }: Endpoint,
    { query, signedIn }: Omit<ChatPageRequest, 'workflowId'>,
  ): Promise<Visitor> {
    if (page.access === 'public') return { kind: 'public' };
    if (page.access === 'users') {
      const user = await signedIn();
      if (user === null) throw new WeftError('UNAUTHORIZED', 'This chat is for signed-in users.');
      return { kind: 'user', ...user };
    }
    const { [LINK_PARAMETER]: token } = readFields(query, 'query');
    const link = typeof token === 'string' ? deps.links.find(token, route, page.links, clock.now()) : null;
    if (link === null) throw new WeftError('NOT_FOUND', 'The link is not valid.', { reason: 'link' });
    return { kind: 'link', ...link };
  }

  function createToken({ endpoint, visitor, conversation }: Session): string {
    const { workflowId, nodeId } = endpoint.route;
    const [a, b] =
      visitor.kind === 'user'
        ? [visitor.userId, visitor.email]
        : visitor.kind === 'link'
          ? [visitor.name, visitor.expiresAt]
          : ['', ''];
    return tokens.create([workflowId, nodeId, visitor.kind, a, b, conversation, String(clock.now())]);
  }

  /** @throws {WeftError} UNAUTHORIZED if the page must be loaded again */
  async function readSession(workflowId: string, token: string): Promise<Session> {
    const endpoint = await find(workflowId);
    const { route, page } = endpoint;
    const [workflow, node, kind, a = '', b = '', conversation = '', at = ''] = tokens.read(token) ?? [];
    const age = clock.now() - Number(at);
    const isOfPage = workflow === workflowId && node === route.nodeId && conversation !== '';
    const visitor: Visitor | null =
      kind === 'public' && page.access === 'public'
        ? { kind }
        : kind === 'user' && page.access === 'users'
          ? { kind, userId: a, email: b }
          : kind === 'link' && page.access === 'link' && isLive(page, a, b)
            ? { kind, name: a, expiresAt: b }
            : null;
    const isDeletedUser = visitor?.kind === 'user' && (await deps.accounts.userById(visitor.userId)) === null;
    if (!isOfPage || visitor === null || isDeletedUser || !(age < TOKEN_LIFETIME_MS))
      throw new WeftError('UNAUTHORIZED', 'The page must be loaded again.');
    return { endpoint, visitor, conversation };
  }

  /** Whether the page still has the link, and it has not expired. */
  function isLive(page: ChatPage, name: string, expiresAt: string): boolean {
    return page.links.some(
      (one) =>
        one.name === name && one.expiresAt === expiresAt && clock.now() < (parseExpiry(expiresAt) ?? 0),
    );
  }

  const createKey = ({ conversation }: Session, message: string): string => `page:${conversation}:${message}`;

  return {
    /** @throws {WeftError} NOT_FOUND */
    async page(workflowId: string): Promise<ChatPage> {
      return (await find(workflowId)).page;
    },

    /** `chat`: the id of the conversation. @throws {WeftError} NOT_FOUND, UNAUTHORIZED, VALIDATION_ERROR */
    async open(request: ChatPageRequest, chat: string): Promise<OpenChatPage> {
      const endpoint = await find(request.workflowId);
      const visitor = await admit(endpoint, request);
      if (!CHAT_ID.test(chat))
        throw createValidationError([{ field: 'chat', issue: 'must be the id of a chat' }]);
      // A prefix of its own: the API and other triggers of the workflow choose keys of threads, too. Another
      // user with the same URL has another conversation.
      const conversation = `${visitor.kind === 'user' ? visitor.userId : visitor.kind}.${chat}`;
      const { ownerId, workflowId } = endpoint.route;
      const found = await deps.threads.find(
        { ownerId, workflowId },
        { namespace: null, key: conversation },
        MAX_HISTORY_BYTES,
        clock.now(),
      );
      const redact = await deps.loadRedactor(ownerId);
      return {
        page: endpoint.page,
        token: createToken({ endpoint, visitor, conversation }),
        history: redact(readHistory(found?.turns ?? [])),
      };
    },

    /**
     * Starts the execution of a message; the same message again starts nothing.
     * @throws {WeftError} NOT_FOUND, UNAUTHORIZED, RATE_LIMITED, VALIDATION_ERROR
     */
    async send(
      workflowId: string,
      token: string,
      sent: { contentType: string | undefined; body: Buffer },
    ): Promise<{ id: string; ref: string }> {
      const session = await readSession(workflowId, token);
      const { endpoint, visitor, conversation } = session;
      const counting = countCall(workflowId);
      if (counting !== undefined) await counting;
      const files = new IncomingFiles(deps);
      const body = await readWebhookBody(
        sent.body,
        { 'content-type': sent.contentType },
        limits.json,
        files.take,
      );
      const message = readMessage(body, endpoint.page);
      const sentFiles = files.listHashes();
      if (
        sentFiles.size !== message.files.length ||
        !message.files.every(({ $file }) => sentFiles.has($file.id))
      )
        throw createValidationError([
          { field: 'files', issue: 'must be the files of the form, in the field files' },
        ]);
      const content: Json = [
        ...(message.text === '' ? [] : [{ type: 'text', text: message.text }]),
        ...message.files.map((file) => ({ type: 'file', file: file as unknown as JsonObject })),
      ];
      const executionId = await startCall(deps, endpoint, {
        kind: 'chat',
        input: {
          message: message.text,
          messages: [{ role: 'user', content: message.files.length === 0 ? message.text : content }],
          model: endpoint.value.name,
          user: visitor.kind === 'user' ? visitor.email : null,
          conversation,
          parameters: {},
          ...(visitor.kind === 'user' && { submitted_by: { user_id: visitor.userId, email: visitor.email } }),
          ...(visitor.kind === 'link' && { link: visitor.name }),
        },
        key: { field: 'id', value: createKey(session, message.id) },
        // The input contains the ids of files, which differ.
        content: { text: message.text, files: files.hashContents() },
        storeFiles: files.isEmpty ? undefined : () => files.store(),
      });
      return { id: message.id, ref: toReference(executionId) };
    },

    /**
     * Sends what happens after `after` until the execution of a message ends.
     * @throws {WeftError} NOT_FOUND, UNAUTHORIZED
     */
    async follow(
      workflowId: string,
      token: string,
      message: string,
      after: StreamPosition | null,
    ): Promise<(reader: ChatPageReader) => Promise<void>> {
      const session = await readSession(workflowId, token);
      const { route, value } = session.endpoint;
      const scope = `chat:${route.workflowId}:${route.nodeId}`;
      const known = CHAT_ID.test(message)
        ? await deps.executions.findDedupe(route.ownerId, scope, createKey(session, message), clock.now())
        : null;
      const row = known === null ? null : await deps.executions.get(route.ownerId, known.executionId);
      if (row === null) throw createNotFoundError('message');
      const toEvents = createPageEvents({
        finalNodes: value.finalNodes,
        executionId: row.id,
        findDecision: (id) => findDecision(session.visitor, id),
      });
      // Before the response begins, so that a wrong position is an error.
      const followStream = await deps.streams.open(row, after);
      return async (reader) => {
        let queue = Promise.resolve();
        let hasFailed = false;
        await followStream({
          event(streamed: StreamedEvent) {
            // Reading a decision takes time, and events keep their order.
            queue = queue.then(async () => {
              for (const one of await toEvents(streamed)) reader.event(one, streamed.id);
            });
            // Awaited later; a rejection without a handler until then would end the service.
            queue.catch(() => (hasFailed = true));
          },
          ready: async () => {
            await queue;
            await reader.ready();
          },
          isClosed: () => hasFailed || reader.isClosed(),
          onClose: (run) => reader.onClose(run),
        });
        await queue;
      };
    },
  };

  /** What a visitor may see of a decision: only a user who is asked can decide. */
  async function findDecision(visitor: Visitor, id: string): Promise<{ title: string; url: string } | null> {
    if (visitor.kind !== 'user') return null;
    const decision = await deps.decisions.get(visitor.userId, id);
    const own = decision?.assignees.find(({ assignee }) => assignee === visitor.userId);
    if (decision?.status !== 'open' || own === undefined || own.respondedAt !== null) return null;
    const proof = deps.decisionLinks.createToken({ decisionId: id, assignee: visitor.userId });
    return { title: decision.title, url: `${deps.baseUrl()}/decide/${proof}` };
  }
}

export type ChatPages = ReturnType<typeof createChatPages>;

export type ChatPageReader = {
  event(event: ChatPageEvent, id: string): void;
  ready(): Promise<void>;
  isClosed(): boolean;
  onClose(run: () => void): void;
};

type SentMessage = { readonly id: string; readonly text: string; readonly files: readonly FileReference[] };

function readMessage(body: Json, page: ChatPage): SentMessage {
  if (!isObject(body))
    throw createValidationError([{ field: 'body', issue: 'must be a form with id and text' }]);
  const { id = '', text = '', files = [] } = body;
  const given = [files].flat();
  if (typeof id !== 'string' || !CHAT_ID.test(id))
    throw createValidationError([{ field: 'id', issue: 'must have 16 to 64 letters, digits, - and _' }]);
  if (typeof text !== 'string' || text.length > MAX_CHAT_TEXT_LENGTH)
    throw createValidationError([
      { field: 'text', issue: `must have at most ${MAX_CHAT_TEXT_LENGTH} characters` },
    ]);
  if (given.length > (page.acceptsFiles ? MAX_CHAT_FILES : 0) || !given.every(isFileReference))
    throw createValidationError([
      {
        field: 'files',
        issue: page.acceptsFiles
          ? `must be at most ${MAX_CHAT_FILES} files`
          : 'are not accepted by this chat',
      },
    ]);
  if (text.trim() === '' && given.length === 0)
    throw createValidationError([{ field: 'text', issue: 'must not be empty' }]);
  return { id, text, files: given };
}
