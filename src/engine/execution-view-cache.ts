import { jsonSize } from '../lib/json-size.ts';
import type { ExecutionView } from './engine-api.ts';

/** About how many characters the kept views may have, each and together. */
const mostOfOne = 2_000_000;
const mostOfAll = 16_000_000;

/** Views of executions that have ended, by id: pages ask for the same ones again. The least recently used ones go first. */
export class ExecutionViewCache {
  private readonly views = new Map<string, { view: ExecutionView; size: number }>();
  private size = 0;

  get(id: string): ExecutionView | undefined {
    const known = this.views.get(id);
    if (known === undefined) return undefined;
    this.views.delete(id);
    this.views.set(id, known);
    return known.view;
  }

  keep(id: string, view: ExecutionView): void {
    const size = jsonSize(view, mostOfOne);
    if (size > mostOfOne || this.views.has(id)) return;
    this.views.set(id, { view, size });
    this.size += size;
    for (const [oldest, old] of this.views) {
      if (this.size <= mostOfAll) break;
      this.views.delete(oldest);
      this.size -= old.size;
    }
  }
}
