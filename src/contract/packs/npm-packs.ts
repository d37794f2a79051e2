import type { Json } from '../../lib/json/json.ts';
import type { PackSecurityScheme, SecurityRequirement } from './packs.ts';

/*
 * Packs from npm: packages in the form of an Activepieces piece, whose actions run in a process of their own.
 * A manifest contains what the package declares, in the terms of Weft.
 */

/**
 * `loaded_choice`, `loaded_choices` and `loaded_fields` are values that the package can list for an account.
 * `any`: a kind that Weft does not know, or a JSON value.
 */
export const npmPropertyKinds = [
  'text',
  'long_text',
  'secret',
  'number',
  'checkbox',
  'date_time',
  'choice',
  'choices',
  'loaded_choice',
  'loaded_choices',
  'loaded_fields',
  'list',
  'object',
  'file',
  'any',
] as const;
export type NpmPropertyKind = (typeof npmPropertyKinds)[number];

export type NpmProperty = {
  /** As the package names it. Unique among its siblings. */
  readonly name: string;
  readonly kind: NpmPropertyKind;
  readonly title: string;
  readonly description: string;
  readonly required: boolean;
  /** Null: none. */
  readonly default: Json;
  /** Of `choice` and `choices`; empty for others. */
  readonly options: readonly { readonly label: string; readonly value: Json }[];
  /** The fields of each element of a `list`; empty: elements are texts. */
  readonly properties: readonly NpmProperty[];
};

export type NpmOperation = {
  /** The name of the action in the package. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly deprecated: false;
  readonly properties: readonly NpmProperty[];
  /** Whether the package states that the action may be repeated. */
  readonly idempotent: boolean;
  /** Alternatives; empty: the action needs no authentication. */
  readonly security: readonly SecurityRequirement[];
  readonly response: null;
};

/** A trigger that the package has. Weft does not offer it. */
export type NpmTrigger = { readonly id: string; readonly title: string; readonly description: string };

export type NpmManifest = {
  readonly kind: 'npm';
  /** Lower-case letters, digits and `_`, from the name of the package; at most 64 characters. */
  readonly name: string;
  /** The version of the package: major.minor.patch. */
  readonly version: string;
  readonly documentVersion: string;
  readonly title: string;
  readonly description: string;
  readonly package: {
    readonly name: string;
    /** `sha512-` and base64, of the archive. */
    readonly integrity: string;
    /** The id of the registry's key; null: the signature was not checked. */
    readonly signedBy: string | null;
    /** As the package states it; null: it states none. */
    readonly license: string | null;
  };
  readonly servers: readonly [];
  readonly securitySchemes: readonly PackSecurityScheme[];
  readonly operations: readonly NpmOperation[];
  readonly triggers: readonly NpmTrigger[];
  readonly warnings: readonly string[];
};
