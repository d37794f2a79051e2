import { createHash } from 'node:crypto';
import type { McpProof, McpServer, McpToolList } from '../../contract/ai/mcp.ts';
import type { Clock } from '../../ports/clock.ts';

/** Lists that are kept, their total length as JSON in characters, and the time for which each is used. */
const MAX_LISTS = 200;
const MAX_CHARS = 16 * 1024 * 1024;
const LIFETIME_MS = 5 * 60_000;

/** The tools of servers, by owner, server and credentials. The least recently used are evicted first. */
export class ToolCache {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #lists = new Map<string, { list: McpToolList; chars: number }>();
  #chars = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  get(key: string): McpToolList | null {
    const found = this.#lists.get(key);
    if (found === undefined) return null;
    this.#lists.delete(key);
    const age = this.#clock.now() - found.list.listedAt;
    if (age < 0 || age >= LIFETIME_MS) {
      this.#chars -= found.chars;
      return null;
    }
    this.#lists.set(key, found);
    return found.list;
  }

  set(key: string, list: McpToolList): void {
    this.forget(key);
    const chars = JSON.stringify(list).length;
    this.#lists.set(key, { list, chars });
    this.#chars += chars;
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= MAX_LISTS && this.#chars <= MAX_CHARS) break;
      this.forget(oldest);
    }
  }

  forget(key: string): void {
    this.#chars -= this.#lists.get(key)?.chars ?? 0;
    this.#lists.delete(key);
  }
}

/** Hashed, so that the cache contains no credentials. */
export function createToolKey(ownerId: string, { url, proxy }: McpServer, proof: McpProof): string {
  return createHash('sha256')
    .update(JSON.stringify([ownerId, url, proxy ?? null, proof.headers, proof.query]))
    .digest('base64url');
}
