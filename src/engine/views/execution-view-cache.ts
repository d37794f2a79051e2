import { jsonSize } from '../../lib/json/json-size.ts';
import type { ExecutionView } from '../engine-api.ts';

/** Approximate limits of the cached views, each and together. */
const MAX_VIEW_CHARACTERS = 2_000_000;
const MAX_TOTAL_CHARACTERS = 16_000_000;

/** Views of ended executions by id; the least recently used are evicted first. */
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
    const size = jsonSize(view, MAX_VIEW_CHARACTERS);
    if (size > MAX_VIEW_CHARACTERS || this.views.has(id)) return;
    this.views.set(id, { view, size });
    this.size += size;
    for (const [oldest, old] of this.views) {
      if (this.size <= MAX_TOTAL_CHARACTERS) break;
      this.views.delete(oldest);
      this.size -= old.size;
    }
  }
}
