import type { Json } from '../../lib/json/json.ts';

/* The fields that a package declares. */

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
  /**
   * Of a property whose choices the package can load: the names of those that they depend on. Missing: it
   * loads none, or the version was installed before Weft loaded choices.
   */
  readonly refreshers?: readonly string[];
  /** Whether the package searches for the choices itself; otherwise it lists all of them. */
  readonly searches?: boolean;
};
