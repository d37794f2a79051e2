import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { CredentialExpiryWatcher } from '../../auth/credential-expiry-watcher.ts';
import { WeftError, createConflictError, createValidationError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import type { ClientMessage, SubscriptionFilter, ServerMessage } from '../../contract/requests/websocket.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { ExecutionEvents } from '../../services/executions/execution-events.service.ts';
import { formatIsoTimeOrNull } from '../../lib/time/iso-time.ts';
import { readClientMessage, type RawMessage } from './client-message.ts';
import { MERGE_FROM, MERGE_FROM_BEHIND, type EventFanout } from './event-fanout.ts';
import type { SendScheduler } from './send-scheduler.ts';
import type { Frame } from './message-encoding.ts';
import { createMessageRate, type MessageRate } from './message-rate.ts';
import { createSubscriptionFilters, type SubscriptionFilters } from './subscription-filters.ts';
import { createSendQueue, type SendQueue } from './send-queue.ts';
import type { Peer } from './socket-plugin.ts';

/** How long a client may take to send its first message. */
const AUTH_TIMEOUT_MS = 10_000;
/** Bytes passed to the socket at once; the rest waits in the send queue, where updates can be merged. */
const MAX_BATCH_BYTES = 64 * 1024;
/** How long a client with buffered data may make no progress before it counts as too slow. */
const STALL_TIMEOUT_MS = 30_000;

export type ConnectionDeps = {
  readonly authenticate: (token: string) => Principal | Promise<Principal>;
  /**
   * Authenticates by the session cookie of the upgrade; null without one. Throws UNAUTHORIZED when the cookie
   * is rejected.
   */
  readonly authenticateCookie: (request: IncomingMessage) => Principal | Promise<Principal> | null;
  readonly credentials: CredentialExpiryWatcher;
  readonly events: ExecutionEvents;
  readonly fanout: EventFanout;
  readonly clock: Clock;
  readonly scheduler: SendScheduler;
  /** Called for internal errors. */
  readonly onError: (error: unknown) => void;
};

const noop = (): void => {};

/**
 * One client of `/v1/ws`. Messages are handled in order: while one waits for the store, the socket is paused,
 * so that clients may send `auth` and `subscribe` without waiting in between.
 */
export class Connection {
  private readonly socket: WebSocket;
  private readonly peer: Peer;
  private readonly deps: ConnectionDeps;
  private readonly receivedMessages: RawMessage[] = [];
  private readonly sendQueue: SendQueue = createSendQueue();
  private readonly subscriptionFilters: SubscriptionFilters = createSubscriptionFilters(
    limits.subscriptionFilters,
  );
  private readonly rate: MessageRate;
  private principal: Principal | null = null;
  private isBusy = false;
  private isClosed = false;
  private isStalled = false;
  private cancelTimer: () => void;
  private cancelStall: () => void = noop;
  private stopWatching: () => void = noop;
  private leaveFanout: (() => void) | null = null;

  constructor(socket: WebSocket, peer: Peer, deps: ConnectionDeps) {
    this.socket = socket;
    this.peer = peer;
    this.deps = deps;
    this.rate = createMessageRate({ burst: limits.socketBurst, perSecond: limits.socketRate }, () =>
      deps.clock.now(),
    );
    this.cancelTimer = deps.clock.after(AUTH_TIMEOUT_MS, () =>
      this.rejectCredential(new WeftError('UNAUTHORIZED', 'No auth message arrived within 10 s.')),
    );
    socket.on('message', (data, isBinary) => this.handleMessage({ bytes: data as Buffer, isBinary }));
    socket.on('close', () => this.cleanUp());
    peer.stream.on('drain', () => this.handleDrain());
  }

  // ---- client messages

  private handleMessage(message: RawMessage): void {
    if (this.isClosed) return;
    if (!this.rate.tryConsume()) {
      const { socketRate, socketBurst } = limits;
      const details = { reason: 'capacity', limit: socketRate, burst: socketBurst, retry_after: 1 };
      this.fail(new WeftError('RATE_LIMITED', 'Too many messages on this connection.', details), 4429);
      return;
    }
    this.receivedMessages.push(message);
    if (!this.isBusy) this.processInbox();
  }

  private processInbox(): void {
    for (
      let next = this.receivedMessages.shift();
      next !== undefined && !this.isClosed;
      next = this.receivedMessages.shift()
    ) {
      const work = this.processMessage(next);
      if (work === undefined) continue;
      this.isBusy = true;
      this.socket.pause();
      void work.finally(() => {
        this.isBusy = false;
        this.socket.resume();
        this.processInbox();
      });
      return;
    }
  }

  /** Returns undefined when the message has been handled synchronously. */
  private processMessage(raw: RawMessage): Promise<void> | undefined {
    let message: ClientMessage;
    try {
      message = readClientMessage(raw);
    } catch (error) {
      this.rejectMessage(error);
      return undefined;
    }
    if (message.type === 'auth') return this.authenticate(message.token);
    const { principal } = this;
    if (principal === null) {
      this.rejectMessage(null);
      return undefined;
    }
    if (message.type === 'ping') {
      this.send({ type: 'pong' });
      return undefined;
    }
    if (message.type === 'unsubscribe') {
      this.subscriptionFilters.remove(message.data);
      this.send({ type: 'unsubscribed', data: message.data });
      return undefined;
    }
    return this.subscribe(principal, message.data).catch((error: unknown) => this.rejectMessage(error));
  }

  private async authenticate(token: string | undefined): Promise<void> {
    this.cancelTimer();
    try {
      const { deps, peer } = this;
      const proof = token === undefined ? deps.authenticateCookie(peer.request) : deps.authenticate(token);
      if (proof === null) {
        this.rejectMessage(createValidationError([{ field: 'token', issue: 'is required' }]));
        return;
      }
      const principal = await proof;
      if (this.isClosed) return;
      if (this.principal !== null && this.principal.userId !== principal.userId)
        throw new WeftError('UNAUTHORIZED', 'This connection is authenticated as another user.');
      this.peer.assignUser(principal.userId);
      this.acceptPrincipal(principal);
    } catch (error) {
      this.rejectCredential(error);
    }
  }

  private acceptPrincipal(principal: Principal): void {
    this.principal = principal;
    this.stopWatching();
    this.stopWatching = this.deps.credentials.watch(principal, (error) => this.rejectCredential(error));
    const expires_at = formatIsoTimeOrNull(principal.expiresAt ?? null);
    this.send({ type: 'auth_success', data: { user_id: principal.userId, expires_at } });
    // Without permission to read executions, authentication still succeeds; the client gets an error and no
    // events.
    const leave = this.leaveFanout ?? noop;
    this.leaveFanout = null;
    try {
      this.leaveFanout = this.deps.fanout.join(principal, this);
    } catch (error) {
      this.sendQueue.clear();
      this.rejectMessage(error);
    } finally {
      leave();
    }
  }

  private async subscribe(principal: Principal, data: SubscriptionFilter): Promise<void> {
    const filter = await this.deps.events.readFilter(principal, data);
    if (this.isClosed) return;
    if (!this.subscriptionFilters.add(filter)) {
      throw createConflictError(
        `A connection must not have more than ${limits.subscriptionFilters} subscriptions.`,
        {
          limit: limits.subscriptionFilters,
        },
      );
    }
    this.send({ type: 'subscribed', data: filter });
  }

  // ---- server events

  offer(frame: Frame): void {
    const { event } = frame;
    const isUpdate = event.kind === 'execution_update';
    if (isUpdate && !this.subscriptionFilters.admit(event.executionId, event.workflowId)) return;
    const { sendQueue, socket } = this;
    const { scheduler } = this.deps;
    const mergeThreshold = scheduler.isBehind ? MERGE_FROM_BEHIND : MERGE_FROM;
    sendQueue.put(
      isUpdate ? event.executionId : null,
      frame,
      this.isStalled || sendQueue.size >= mergeThreshold,
    );
    if (sendQueue.bytes + socket.bufferedAmount > limits.socketBufferBytes) this.closeSlowClient();
    else if (!this.isStalled) scheduler.noteConnection(this);
  }

  /** Sends queued events until the socket is full; the rest is sent after the socket has drained. */
  flush(): void {
    if (this.isClosed || this.sendQueue.size === 0) return;
    const { socket, sendQueue, peer } = this;
    if (socket.readyState !== socket.OPEN) return;
    const batch: Buffer[] = [];
    let bytes = socket.bufferedAmount;
    while (bytes < MAX_BATCH_BYTES) {
      const frame = sendQueue.take();
      if (frame === null) break;
      batch.push(frame.bytes);
      bytes += frame.bytes.length;
    }
    // These are complete frames, and the library only writes complete frames, so they cannot interleave.
    const [first] = batch;
    if (first !== undefined) peer.stream.write(batch.length === 1 ? first : Buffer.concat(batch));
    if (socket.bufferedAmount === 0) {
      if (sendQueue.size > 0) this.deps.scheduler.noteConnection(this);
      return;
    }
    if (this.isStalled) return;
    this.isStalled = socket.bufferedAmount >= MAX_BATCH_BYTES;
    if (this.isStalled)
      this.cancelStall = this.deps.clock.after(STALL_TIMEOUT_MS, () => this.closeSlowClient());
  }

  private handleDrain(): void {
    if (!this.isStalled) return;
    this.isStalled = false;
    this.cancelStall();
    this.deps.scheduler.noteConnection(this);
  }

  private send(message: ServerMessage): void {
    if (this.isClosed) return;
    this.socket.send(JSON.stringify(message));
    if (this.sendQueue.bytes + this.socket.bufferedAmount > limits.socketBufferBytes) this.closeSlowClient();
  }

  // ---- closing

  /** Reports a rejected message. Before authentication, it also closes the connection. */
  private rejectMessage(error: unknown): void {
    if (this.principal === null) {
      const details = error instanceof WeftError ? error.details : {};
      const message = 'The first message must be {"type": "auth", "token": "…"}.';
      this.rejectCredential(new WeftError('UNAUTHORIZED', message, details));
    } else if (error instanceof WeftError) this.sendError(error);
    else {
      this.deps.onError(error);
      this.sendError(new WeftError('INTERNAL_ERROR'));
    }
  }

  /** Closes the connection for a missing, wrong, expired or revoked credential. */
  private rejectCredential(error: unknown): void {
    if (this.isClosed) return;
    if (!(error instanceof WeftError)) {
      this.deps.onError(error);
      this.fail(new WeftError('INTERNAL_ERROR'), 1011);
    } else this.fail(error, error.code === 'RATE_LIMITED' ? 4429 : 4401);
  }

  private fail(error: WeftError, code: number): void {
    this.sendError(error);
    this.close(code, error.code);
  }

  private closeSlowClient(): void {
    this.close(4429, 'too slow');
  }

  private sendError({ code, message, details }: WeftError): void {
    this.send({ type: 'error', data: { code, message, details } });
  }

  private close(code: number, reason: string): void {
    if (this.isClosed) return;
    this.cleanUp();
    this.socket.close(code, reason);
    // The client's close frame must be read to complete the handshake.
    this.socket.resume();
  }

  private cleanUp(): void {
    this.isClosed = true;
    this.receivedMessages.length = 0;
    this.sendQueue.clear();
    this.cancelTimer();
    this.cancelStall();
    this.stopWatching();
    this.leaveFanout?.();
    this.leaveFanout = null;
  }
}
