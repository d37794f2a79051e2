import type { JsonObject } from '../../lib/json/json.ts';
import type { NpmManifest } from './npm-packs.ts';
import type { PackSecurityScheme, SecurityRequirement } from './pack-security.ts';

/*
 * A pack adds one node type with the operations of an API. Its manifest is read once, from a document or a
 * package of npm, and stored; the node type is created from the manifest.
 */

export const packKinds = ['openapi', 'npm'] as const;
export type PackKind = (typeof packKinds)[number];

export const parameterLocations = ['path', 'query', 'header', 'cookie'] as const;
export type ParameterLocation = (typeof parameterLocations)[number];

export const parameterStyles = [
  'matrix',
  'label',
  'simple',
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
] as const;
export type ParameterStyle = (typeof parameterStyles)[number];

/** How a value is written into a URL, a header or a form (OpenAPI 3.1, "Style Values"). */
export type Serialization = {
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
};

/** `name` is unique among the parameters of its operation that have the same location. */
export type PackParameter = Serialization & {
  readonly name: string;
  readonly in: ParameterLocation;
  readonly required: boolean;
  readonly deprecated: boolean;
  /** A media type in which the value is written instead of `style`; null: none. */
  readonly contentType: string | null;
  /** JSON Schema (draft 2020-12) without references. */
  readonly schema: JsonObject;
};

/** How a field of a form body is written. `contentType` null: the default for its type. */
export type PackEncoding = Serialization & { readonly contentType: string | null };

export type PackBody = {
  readonly required: boolean;
  readonly contentType: string;
  readonly schema: JsonObject;
  /** By field, for form bodies; fields without an entry have the defaults of OpenAPI. */
  readonly encoding: Readonly<Record<string, PackEncoding>>;
};

export type OpenApiOperation = {
  /** The operationId of the document, or `get /path`. Unique in the manifest. */
  readonly id: string;
  /** In upper case. */
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH' | 'HEAD' | 'OPTIONS';
  /** Below the server's URL, with `{name}` for path parameters. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  readonly parameters: readonly PackParameter[];
  readonly body: PackBody | null;
  /** The body of a successful response: its media type, and its JSON Schema if the document has one. */
  readonly response: { readonly contentType: string; readonly schema: JsonObject | null } | null;
  /** Alternatives; empty: the document states none. */
  readonly security: readonly SecurityRequirement[];
  /** Absolute URLs that replace the manifest's for this operation; null: the manifest's. */
  readonly servers: readonly PackServer[] | null;
};

/** An absolute http or https URL without a slash at its end; variables have their defaults. */
export type PackServer = { readonly url: string; readonly description: string };

export type OpenApiManifest = {
  readonly kind: 'openapi';
  /** Lower-case letters, digits and `_`, from the title; at most 64 characters. */
  readonly name: string;
  /** major.minor.patch, from `documentVersion`. */
  readonly version: string;
  /** The version as the document states it. */
  readonly documentVersion: string;
  readonly title: string;
  readonly description: string;
  /** The first one is the default. Empty: the document states no absolute URL. */
  readonly servers: readonly PackServer[];
  readonly securitySchemes: readonly PackSecurityScheme[];
  readonly operations: readonly OpenApiOperation[];
  /** Parts of the document that were left out or simplified, for the person who adds it. */
  readonly warnings: readonly string[];
};

export type PackManifest = OpenApiManifest | NpmManifest;
export type PackOperation = PackManifest['operations'][number];

/** The type under which the catalog lists the triggers of a pack. No pack has a name with a dot. */
export function packTriggerType(pack: Pick<PackManifest, 'kind' | 'name'>): string {
  return toTriggerType(packNodeType(pack));
}

/** Whether it is the type of the triggers of a pack, installed or not. */
export function isPackTriggerType(type: string): boolean {
  return /^npm\.[a-z0-9_]+\.trigger$/.test(type);
}

export function toTriggerType(packType: string): string {
  return `${packType}.trigger`;
}

/** The type under which the catalog lists a pack. */
export function packNodeType({ kind, name }: Pick<PackManifest, 'kind' | 'name'>): string {
  return `${kind}.${name}`;
}
