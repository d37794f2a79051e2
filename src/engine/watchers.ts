import type { HttpAnswer } from '../contract/execution.ts';
import type { ExecutionEnd, Watch } from './engine-port.ts';

type Watcher = { end: (end: ExecutionEnd) => void; answer: (answer: HttpAnswer | null) => void };

/** Who waits for the end or the answer of an execution. Told only of what is on disk. */
export class Watchers {
  private readonly byExecution = new Map<string, Set<Watcher>>();

  add(id: string): Watch {
    let watcher!: Watcher;
    let end!: Watcher['end'];
    const ended = new Promise<ExecutionEnd>((resolve) => (end = resolve));
    const answered = new Promise<HttpAnswer | null>((answer) => (watcher = { end, answer }));
    const set = this.byExecution.get(id);
    if (set === undefined) this.byExecution.set(id, new Set([watcher]));
    else set.add(watcher);
    return { ended, answered, cancel: () => this.remove(id, watcher) };
  }

  has(id: string): boolean {
    return this.byExecution.has(id);
  }

  answered(id: string, answer: HttpAnswer): void {
    for (const watcher of this.byExecution.get(id) ?? []) watcher.answer(answer);
  }

  ended(id: string, end: ExecutionEnd): void {
    const set = this.byExecution.get(id);
    if (set === undefined) return;
    this.byExecution.delete(id);
    for (const watcher of set) {
      watcher.answer(null);
      watcher.end(end);
    }
  }

  private remove(id: string, watcher: Watcher): void {
    const set = this.byExecution.get(id);
    if (set?.delete(watcher) && set.size === 0) this.byExecution.delete(id);
  }
}
