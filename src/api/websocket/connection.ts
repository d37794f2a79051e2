import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { CredentialExpiryWatcher } from '../../auth/credential-expiry-watcher.ts';
import { WeftError, conflict, validationError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import type { ClientMessage, Narrowing, ServerMessage } from '../../contract/requests/websocket.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { ExecutionEvents } from '../../services/executions/execution-events.service.ts';
import { isoOrNull } from '../../lib/time/iso-time.ts';
import { readClientMessage, type RawMessage } from './client-message.ts';
import { MERGE_FROM, MERGE_FROM_BEHIND, type EventFanout } from './event-fanout.ts';
import type { SendScheduler } from './send-scheduler.ts';
import type { Frame } from './message-encoding.ts';
import { createMessageRate, type MessageRate } from './message-rate.ts';
import { createSubscriptionFilters, type SubscriptionFilters } from './subscription-filters.ts';
import { createSendQueue, type SendQueue } from './send-queue.ts';
import type { Peer } from './socket-plugin.ts';

/** ms until the first message must have come. */
const AUTH_TIMEOUT = 10_000;
/** Bytes handed to the socket at once; the rest waits in the outbox, where it can be merged. */
const BATCH = 64 * 1024;
/** ms without any progress after which a client that has something to take counts as too slow. */
const STALL = 30_000;

export type ConnectionDeps = {
  readonly authenticate: (token: string) => Principal | Promise<Principal>;
  /** By the session cookie of the upgrade; null without one. Throws UNAUTHORIZED when it may not be used. */
  readonly authenticateCookie: (request: IncomingMessage) => Principal | Promise<Principal> | null;
  readonly credentials: CredentialExpiryWatcher;
  readonly events: ExecutionEvents;
  readonly feeds: EventFanout;
  readonly clock: Clock;
  readonly flusher: SendScheduler;
  /** A fault of ours. */
  readonly onFault: (error: unknown) => void;
};

const nothing = (): void => {};

/**
 * One client of `/v1/ws`. Its messages are served one after the other: while one waits for the store nothing more is read from
 * the socket, so that `auth` and `subscribe` may be sent in one go.
 */
export class Connection {
  private readonly socket: WebSocket;
  private readonly peer: Peer;
  private readonly deps: ConnectionDeps;
  private readonly inbox: RawMessage[] = [];
  private readonly outbox: SendQueue = createSendQueue();
  private readonly narrowings: SubscriptionFilters = createSubscriptionFilters(limits.narrowings);
  private readonly rate: MessageRate;
  private principal: Principal | null = null;
  private isBusy = false;
  private isOver = false;
  private isStalled = false;
  private cancelTimer: () => void;
  private cancelStall: () => void = nothing;
  private unwatch: () => void = nothing;
  private leaveEvents: (() => void) | null = null;

  constructor(socket: WebSocket, peer: Peer, deps: ConnectionDeps) {
    this.socket = socket;
    this.peer = peer;
    this.deps = deps;
    this.rate = createMessageRate({ burst: limits.socketBurst, perSecond: limits.socketRate }, () =>
      deps.clock.now(),
    );
    this.cancelTimer = deps.clock.after(AUTH_TIMEOUT, () =>
      this.refuse(new WeftError('UNAUTHORIZED', 'No auth message came within 10 s.')),
    );
    socket.on('message', (data, isBinary) => this.arrived({ bytes: data as Buffer, isBinary }));
    socket.on('close', () => this.leave());
    peer.stream.on('drain', () => this.drained());
  }

  // ---- what the client says

  private arrived(message: RawMessage): void {
    if (this.isOver) return;
    if (!this.rate.take()) {
      const { socketRate, socketBurst } = limits;
      const details = { reason: 'capacity', limit: socketRate, burst: socketBurst, retry_after: 1 };
      this.fail(new WeftError('RATE_LIMITED', 'Too many messages on this connection.', details), 4429);
      return;
    }
    this.inbox.push(message);
    if (!this.isBusy) this.serve();
  }

  private serve(): void {
    for (let next = this.inbox.shift(); next !== undefined && !this.isOver; next = this.inbox.shift()) {
      const work = this.serveOne(next);
      if (work === undefined) continue;
      this.isBusy = true;
      this.socket.pause();
      void work.finally(() => {
        this.isBusy = false;
        this.socket.resume();
        this.serve();
      });
      return;
    }
  }

  /** Undefined: it is done. */
  private serveOne(raw: RawMessage): Promise<void> | undefined {
    let message: ClientMessage;
    try {
      message = readClientMessage(raw);
    } catch (error) {
      this.refuseMessage(error);
      return undefined;
    }
    if (message.type === 'auth') return this.auth(message.token);
    const { principal } = this;
    if (principal === null) {
      this.refuseMessage(null);
      return undefined;
    }
    if (message.type === 'ping') {
      this.send({ type: 'pong' });
      return undefined;
    }
    if (message.type === 'unsubscribe') {
      this.narrowings.remove(message.data);
      this.send({ type: 'unsubscribed', data: message.data });
      return undefined;
    }
    return this.subscribe(principal, message.data).catch((error: unknown) => this.refuseMessage(error));
  }

  private async auth(token: string | undefined): Promise<void> {
    this.cancelTimer();
    try {
      const { deps, peer } = this;
      const proof = token === undefined ? deps.authenticateCookie(peer.request) : deps.authenticate(token);
      if (proof === null) {
        this.refuseMessage(validationError([{ field: 'token', issue: 'is required' }]));
        return;
      }
      const principal = await proof;
      if (this.isOver) return;
      if (this.principal !== null && this.principal.userId !== principal.userId)
        throw new WeftError('UNAUTHORIZED', 'This connection belongs to another user.');
      this.peer.proved(principal.userId);
      this.admit(principal);
    } catch (error) {
      this.refuse(error);
    }
  }

  private admit(principal: Principal): void {
    this.principal = principal;
    this.unwatch();
    this.unwatch = this.deps.credentials.watch(principal, (error) => this.refuse(error));
    const expires_at = isoOrNull(principal.expiresAt ?? null);
    this.send({ type: 'auth_success', data: { user_id: principal.userId, expires_at } });
    // A credential that may not read executions is proved all the same: it is told so, and hears nothing.
    const leave = this.leaveEvents ?? nothing;
    this.leaveEvents = null;
    try {
      this.leaveEvents = this.deps.feeds.join(principal, this);
    } catch (error) {
      this.outbox.clear();
      this.refuseMessage(error);
    } finally {
      leave();
    }
  }

  private async subscribe(principal: Principal, data: Narrowing): Promise<void> {
    const narrowing = await this.deps.events.narrow(principal, data);
    if (this.isOver) return;
    if (!this.narrowings.add(narrowing)) {
      throw conflict(`A connection has at most ${limits.narrowings} narrowings.`, {
        limit: limits.narrowings,
      });
    }
    this.send({ type: 'subscribed', data: narrowing });
  }

  // ---- what happens

  offer(frame: Frame): void {
    const { event } = frame;
    const isUpdate = event.kind === 'execution_update';
    if (isUpdate && !this.narrowings.admit(event.executionId, event.workflowId)) return;
    const { outbox, socket } = this;
    const { flusher } = this.deps;
    const most = flusher.isBehind ? MERGE_FROM_BEHIND : MERGE_FROM;
    outbox.put(isUpdate ? event.executionId : null, frame, this.isStalled || outbox.size >= most);
    if (outbox.bytes + socket.bufferedAmount > limits.socketBuffer) this.tooSlow();
    else if (!this.isStalled) flusher.noteConnection(this);
  }

  /** Hands over what waits, as long as the socket takes it; what then still waits goes when it has drained. */
  flush(): void {
    if (this.isOver || this.outbox.size === 0) return;
    const { socket, outbox, peer } = this;
    if (socket.readyState !== socket.OPEN) return;
    const batch: Buffer[] = [];
    let bytes = socket.bufferedAmount;
    while (bytes < BATCH) {
      const frame = outbox.take();
      if (frame === null) break;
      batch.push(frame.bytes);
      bytes += frame.bytes.length;
    }
    // Whole frames, between those that the library writes: it never leaves one half written.
    const [first] = batch;
    if (first !== undefined) peer.stream.write(batch.length === 1 ? first : Buffer.concat(batch));
    if (socket.bufferedAmount === 0) {
      if (outbox.size > 0) this.deps.flusher.noteConnection(this);
      return;
    }
    if (this.isStalled) return;
    this.isStalled = socket.bufferedAmount >= BATCH;
    if (this.isStalled) this.cancelStall = this.deps.clock.after(STALL, () => this.tooSlow());
  }

  private drained(): void {
    if (!this.isStalled) return;
    this.isStalled = false;
    this.cancelStall();
    this.deps.flusher.noteConnection(this);
  }

  private send(message: ServerMessage): void {
    if (this.isOver) return;
    this.socket.send(JSON.stringify(message));
    if (this.outbox.bytes + this.socket.bufferedAmount > limits.socketBuffer) this.tooSlow();
  }

  // ---- the end

  /** A message that is not taken: told, and before `auth` the end. */
  private refuseMessage(error: unknown): void {
    if (this.principal === null) {
      const details = error instanceof WeftError ? error.details : {};
      const message = 'The first message must be {"type": "auth", "token": "…"}.';
      this.refuse(new WeftError('UNAUTHORIZED', message, details));
    } else if (error instanceof WeftError) this.sendError(error);
    else {
      this.deps.onFault(error);
      this.sendError(new WeftError('INTERNAL_ERROR'));
    }
  }

  /** No credential, a wrong one, or one that ended. */
  private refuse(error: unknown): void {
    if (this.isOver) return;
    if (!(error instanceof WeftError)) {
      this.deps.onFault(error);
      this.fail(new WeftError('INTERNAL_ERROR'), 1011);
    } else this.fail(error, error.code === 'RATE_LIMITED' ? 4429 : 4401);
  }

  private fail(error: WeftError, code: number): void {
    this.sendError(error);
    this.end(code, error.code);
  }

  private tooSlow(): void {
    this.end(4429, 'too slow');
  }

  private sendError({ code, message, details }: WeftError): void {
    this.send({ type: 'error', data: { code, message, details } });
  }

  private end(code: number, reason: string): void {
    if (this.isOver) return;
    this.leave();
    this.socket.close(code, reason);
    // The close has to be read to be answered.
    this.socket.resume();
  }

  private leave(): void {
    this.isOver = true;
    this.inbox.length = 0;
    this.outbox.clear();
    this.cancelTimer();
    this.cancelStall();
    this.unwatch();
    this.leaveEvents?.();
    this.leaveEvents = null;
  }
}
