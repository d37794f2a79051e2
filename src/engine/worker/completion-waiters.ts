import { ChurnMap } from '../../lib/churn-map.ts';
import type { ExecutionResponse } from '../../contract/execution.ts';
import type { ExecutionEnd, CompletionHandle } from '../engine-api.ts';

/**
 * Creates promises only when a caller awaits them before the completion: short executions have ended by then.
 */
class CompletionWaiter implements CompletionHandle {
  response: ExecutionResponse | null | undefined = undefined;
  end: ExecutionEnd | undefined = undefined;
  private endListeners: ((end: ExecutionEnd) => void)[] | null = null;
  private responseListeners: ((response: ExecutionResponse | null) => void)[] | null = null;
  readonly ownerId: string;
  readonly since: number;
  private readonly watchers: CompletionWaiters;
  private readonly id: string;

  constructor(watchers: CompletionWaiters, id: string, ownerId: string, since: number) {
    this.watchers = watchers;
    this.id = id;
    this.ownerId = ownerId;
    this.since = since;
  }

  get ended(): Promise<ExecutionEnd> {
    if (this.end !== undefined) return Promise.resolve(this.end);
    return new Promise((resolve) => (this.endListeners ??= []).push(resolve));
  }

  get responded(): Promise<ExecutionResponse | null> {
    if (this.response !== undefined) return Promise.resolve(this.response);
    return new Promise((resolve) => (this.responseListeners ??= []).push(resolve));
  }

  get awaitsResponse(): boolean {
    return this.response === undefined && this.responseListeners !== null;
  }

  notifyResponse(response: ExecutionResponse | null): void {
    if (this.response !== undefined) return;
    this.response = response;
    for (const listener of this.responseListeners ?? []) listener(response);
  }

  notifyEnd(end: ExecutionEnd): void {
    this.notifyResponse(null);
    this.end = end;
    for (const listener of this.endListeners ?? []) listener(end);
  }

  cancel(): void {
    this.watchers.remove(this.id, this);
  }
}

/** Callers that wait for an execution's end or response. They are notified only of what is on disk. */
export class CompletionWaiters {
  private readonly byExecution = new ChurnMap<string, CompletionWaiter | CompletionWaiter[]>();

  /** `since`: the current time. */
  add(id: string, ownerId: string, since: number): CompletionHandle {
    const watcher = new CompletionWaiter(this, id, ownerId, since);
    const others = this.byExecution.get(id);
    if (others === undefined) this.byExecution.set(id, watcher);
    else this.byExecution.set(id, [...(Array.isArray(others) ? others : [others]), watcher]);
    return watcher;
  }

  has(id: string): boolean {
    return this.byExecution.has(id);
  }

  /** Ids of executions with a caller that has waited since `time` or longer, the longest wait first. */
  waitingSince(time: number): string[] {
    const ids: string[] = [];
    for (const id of this.byExecution.keys()) if ((this.list(id)[0]?.since ?? Infinity) <= time) ids.push(id);
    return ids;
  }

  /** Whether a caller waits for the response of an execution without a response known to this process. */
  awaitsResponse(id: string): boolean {
    return this.list(id).some((watcher) => watcher.awaitsResponse);
  }

  getOwner(id: string): string | null {
    return this.list(id)[0]?.ownerId ?? null;
  }

  responded(id: string, response: ExecutionResponse): void {
    for (const watcher of this.list(id)) watcher.notifyResponse(response);
  }

  ended(id: string, end: ExecutionEnd): void {
    for (const watcher of toList(this.byExecution.take(id))) watcher.notifyEnd(end);
  }

  remove(id: string, watcher: CompletionWaiter): void {
    const left = this.list(id).filter((other) => other !== watcher);
    if (left.length === 0) this.byExecution.delete(id);
    else this.byExecution.set(id, left);
  }

  private list(id: string): readonly CompletionWaiter[] {
    return toList(this.byExecution.get(id));
  }
}

function toList(found: CompletionWaiter | CompletionWaiter[] | undefined): readonly CompletionWaiter[] {
  return found === undefined ? [] : Array.isArray(found) ? found : [found];
}
