import type { SettledStatus } from '../../../contract/execution.ts';
import type { ExecutionStream, ExecutionStreamEvent } from '../../../engine/engine-api.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Events } from '../../../ports/events.ts';
import type { LiveTexts } from '../../../ports/live-texts.ts';
import type { ExecutionRow } from '../../../ports/store/execution-row.ts';
import type { ExecutionStore } from '../../../ports/store/executions.ts';
import type { JsonRedactor } from '../../credentials/redaction.ts';
import { followExecution } from './execution-follower.ts';
import type { Approval, StreamedEvent, StreamReader } from './streamed-event.ts';
import {
  createPositionError,
  formatPartialText,
  formatPosition,
  isAfter,
  type StreamPosition,
} from './stream-position.ts';
import { StreamedTexts } from './streamed-texts.ts';

const FIRST_ID = '0.0';

export type FollowerDeps = {
  readonly executions: Pick<ExecutionStore, 'get'>;
  readonly events: Pick<Events, 'subscribe'>;
  readonly clock: Clock;
  readonly liveTexts: Pick<LiveTexts, 'follow'>;
  /** Returns the question that the node run at `path` asks. */
  readApproval(row: ExecutionRow, path: string): Promise<({ readonly type: 'approval' } & Approval) | null>;
};

/** A client of a follower. */
type Member = {
  readonly reader: StreamReader;
  follower: StreamFollower;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

/** The followers of an execution in this process, in the order in which they were opened. */
export type FollowersByExecution = Map<string, Set<StreamFollower>>;

/**
 * Reads the journal of an execution once and sends what follows from it to its members, which all have the
 * same of it. A client begins with a follower of its own. When it has everything that another follower sent,
 * the two become one.
 */
export class StreamFollower {
  readonly #deps: FollowerDeps;
  readonly #row: ExecutionRow;
  readonly #after: StreamPosition | null;
  readonly #redact: JsonRedactor;
  readonly #stream: ExecutionStream;
  readonly #texts: StreamedTexts;
  readonly #members = new Set<Member>();
  /** The page that `open` read last. */
  #page: Awaited<ReturnType<ExecutionStream['next']>> | null = null;
  /** Of the last entry of the journal that was passed on. */
  #id: string;
  #isDone = false;
  /** Everything in the journal was passed on, and nothing is being read. */
  #isIdle = false;
  #wake = (): void => {};

  constructor(
    deps: FollowerDeps,
    row: ExecutionRow,
    after: StreamPosition | null,
    redact: JsonRedactor,
    stream: ExecutionStream,
  ) {
    this.#deps = deps;
    this.#row = row;
    this.#after = after;
    this.#redact = redact;
    this.#stream = stream;
    this.#id = after === null ? FIRST_ID : formatPosition(after);
    this.#texts = new StreamedTexts(after?.texts ?? [], redact, (node, event) =>
      this.#send({ id: this.#id, at: deps.clock.now(), node, event }),
    );
  }

  /** Reads to the position of the client. @throws {WeftError} VALIDATION_ERROR if the stream is shorter. */
  async open(): Promise<void> {
    if (this.#after === null) return;
    for (;;) {
      const page = await this.#stream.next();
      const last = page.entries.at(-1)?.id ?? FIRST_ID;
      const isReached = last === formatPosition(this.#after) || isAfter(last, this.#after.position);
      if (isReached) this.#page = page;
      else for (const entry of page.entries) this.#track(entry, false);
      if (isReached) return;
      if (page.isWhole) throw createPositionError();
    }
  }

  /** Resolves when the execution ended or the client left. */
  run(reader: StreamReader, followers: FollowersByExecution): Promise<void> {
    const { id: executionId } = this.#row;
    const own = followers.get(executionId) ?? new Set();
    followers.set(executionId, own.add(this));
    const result = new Promise<void>((resolve, reject) => {
      const member: Member = { reader, follower: this, resolve, reject };
      this.#members.add(member);
      reader.onClose(() => member.follower.#remove(member));
    });
    const leave = this.#deps.liveTexts.follow(executionId, (piece) => this.#texts.receive(piece));
    void this.#follow(own)
      .finally(() => {
        leave();
        own.delete(this);
        if (own.size === 0 && followers.get(executionId) === own) followers.delete(executionId);
      })
      .then(
        () => {
          for (const { resolve } of this.#members) resolve();
        },
        (error: unknown) => {
          for (const { reject } of this.#members) reject(error);
        },
      );
    return result;
  }

  #follow(all: ReadonlySet<StreamFollower>): Promise<void> {
    return followExecution<ExecutionStreamEvent>(
      this.#row,
      {
        entry: async (entry) => {
          const isNew = this.#after === null || isAfter(entry.id, this.#after.position);
          this.#track(entry, isNew);
          if (isNew) await this.#sendEntry(entry);
        },
        // Several clients do not wait for one: each has a limited buffer.
        ready: async () => {
          const [first, second] = this.#members;
          if (second === undefined) await first?.reader.ready();
        },
        whole: () => {
          this.#isIdle = true;
          this.#merge(all);
        },
        end: (status) => this.#end(status),
        isClosed: () => this.#isEmpty(),
        onClose: (run) => (this.#wake = run),
      },
      {
        events: this.#deps.events,
        clock: this.#deps.clock,
        read: async () => {
          this.#isIdle = false;
          // Reads the row first, as the log does.
          const row = await this.#deps.executions.get(this.#row.ownerId, this.#row.id);
          if (row === null) return null;
          const page = this.#page ?? (await this.#stream.next());
          // A page that was read earlier is not known to be the end.
          const isWhole = page.isWhole && this.#page === null;
          this.#page = null;
          return { row, entries: page.entries, isWhole };
        },
      },
    );
  }

  /** Members can close without a call of `onClose`. */
  #isEmpty(): boolean {
    for (const member of this.#members) if (member.reader.isClosed()) this.#remove(member);
    return this.#members.size === 0;
  }

  #remove(member: Member): void {
    if (!this.#members.delete(member)) return;
    member.resolve();
    if (this.#members.size === 0) this.#wake();
  }

  /** Older followers become part of newer ones, which know the latest secrets. */
  #merge(all: ReadonlySet<StreamFollower>): void {
    const idle = [...all].filter((one) => one.#isIdle && one.#id === this.#id);
    for (const older of idle) {
      const newer = idle.findLast((one) => one !== older && older.#texts.isContinuedBy(one.#texts));
      if (newer === undefined || idle.indexOf(newer) < idle.indexOf(older)) continue;
      older.#texts.continueTo(newer.#texts);
      older.#isIdle = false;
      for (const member of older.#members) {
        member.follower = newer;
        newer.#members.add(member);
      }
      older.#members.clear();
      older.#wake();
    }
  }

  #send(event: StreamedEvent): void {
    const sent = { ...event, id: this.#id + this.#texts.partial.map(formatPartialText).join('') };
    for (const { reader } of this.#members) if (!reader.isClosed()) reader.event(sent);
  }

  #track({ id, node, event }: ExecutionStreamEvent, isNew: boolean): void {
    if (node === null) return;
    const texts = this.#texts;
    if (event.type === 'started') texts.start(node);
    else if (event.type === 'text' || event.type === 'reasoning') {
      if (isNew) texts.complete(node, event.type, this.#redact(event.text), () => (this.#id = id));
      else texts.forgetPart(node, event.type);
    } else if (event.type === 'usage') {
      if (isNew) texts.end(node);
      else texts.forget(node);
    } else if (event.type === 'discarded') {
      if (isNew) texts.discard(node, event.isFinal);
      else if (event.isFinal) texts.forget(node);
    }
  }

  async #sendEntry({ id, at, node, event }: ExecutionStreamEvent): Promise<void> {
    // A text that is sent while the approval is read does not have the id of the approval.
    const approval =
      node !== null && event.type === 'waiting' ? await this.#deps.readApproval(this.#row, node.path) : null;
    this.#id = id;
    if (node === null) {
      this.#isDone = true;
      this.#send({ id, at, node, event: this.#redact(event) });
    } else if (event.type === 'waiting') {
      if (approval !== null) this.#send({ id, at, node, event: this.#redact(approval) });
    } else if (
      event.type !== 'text' &&
      event.type !== 'reasoning' &&
      event.type !== 'started' &&
      event.type !== 'discarded'
    )
      this.#send({ id, at, node, event: this.#redact(event) });
  }

  #end(status: SettledStatus): void {
    if (this.#isDone || this.#after !== null) return;
    // The version of the workflow cannot be read, so there are no events.
    const at = this.#row.endTime ?? this.#row.createdAt;
    const event = { type: 'done' as const, status, output: null, error: null };
    this.#send({ id: FIRST_ID, at, node: null, event });
  }
}
