import type { ExecutionView } from '../engine-api.ts';

/**
 * Approximate limits of the cached views in characters, each and together. A view of 10,000 node runs with
 * small values fits; smaller views share the rest.
 */
const MAX_VIEW_CHARACTERS = 12_000_000;
const MAX_TOTAL_CHARACTERS = 16_000_000;
/** Counted for a node run in addition to its values: its view, its outputs and its log entries. */
const CHARACTERS_PER_NODE_RUN = 500;

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

  /** `valueSize`: characters of the journal and of the values that the view holds. */
  keep(id: string, view: ExecutionView, valueSize: number): void {
    const size = valueSize + view.nodes.length * CHARACTERS_PER_NODE_RUN;
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
