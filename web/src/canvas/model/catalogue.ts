import type { JsonObject } from './document.ts';

export type Port = { readonly name: string; readonly type: string; readonly description: string };

/** A node type as returned by `GET /v1/nodes`. */
export type NodeType = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly version: string;
  readonly inputs: readonly (Port & { readonly required: boolean })[];
  readonly outputs: readonly Port[];
  readonly config_schema: JsonObject | Readonly<Record<string, unknown>>;
  readonly icon: string;
  readonly custom: boolean;
  readonly effects: string;
  /** Fields that may read secrets; a pattern includes nested fields. */
  readonly secret_fields: readonly string[];
};

/** All node types by id. The object is stable while nothing changes, so that derived values can be cached. */
export type Catalogue = ReadonlyMap<string, NodeType>;

export function catalogueOf(types: readonly NodeType[]): Catalogue {
  return new Map(types.map((type) => [type.id, type]));
}

export function isTrigger(catalogue: Catalogue, type: string): boolean {
  return catalogue.get(type)?.category === 'trigger';
}

/**
 * Searches types, best match first: name or id starts with the text, then a word does, then any that
 * contain it. Every word of the text must match.
 */
export function searchTypes(catalogue: Catalogue, text: string): NodeType[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const all = [...catalogue.values()];
  if (words.length === 0) return all;
  const ranked: { type: NodeType; rank: number }[] = [];
  for (const type of all) {
    const rank = rankOf(type, words);
    if (rank !== null) ranked.push({ type, rank });
  }
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ type }) => type);
}

function rankOf(type: NodeType, words: readonly string[]): number | null {
  const name = type.name.toLowerCase();
  const id = type.id.toLowerCase();
  const rest = `${type.category} ${type.description}`.toLowerCase();
  let rank = 0;
  for (const word of words) {
    if (name.startsWith(word) || id.startsWith(word)) continue;
    if (name.includes(` ${word}`) || id.includes(`_${word}`)) rank += 1;
    else if (name.includes(word) || id.includes(word)) rank += 2;
    else if (new RegExp(`(^|[^a-z])${word.replace(/[^a-z0-9]/g, '.')}`).test(rest)) rank += 4;
    else if (rest.includes(word)) rank += 8;
    else return null;
  }
  return rank;
}
