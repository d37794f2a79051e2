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
  /** Other words that people search for, most important first. */
  readonly keywords: readonly string[];
  readonly custom: boolean;
  readonly effects: string;
  /** Fields that may read secrets; a pattern includes nested fields. */
  readonly secret_fields: readonly string[];
  /** The pack that the type belongs to; its operations are not in the catalog. */
  readonly pack?: { readonly name: string; readonly operations: number } | null;
};

/** All node types by id. The object is stable while nothing changes, so that derived values can be cached. */
export type Catalog = ReadonlyMap<string, NodeType>;

export function createCatalog(types: readonly NodeType[]): Catalog {
  return new Map(types.map((type) => [type.id, type]));
}

export function isTrigger(catalog: Catalog, type: string): boolean {
  return catalog.get(type)?.category === 'trigger';
}
