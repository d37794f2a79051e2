import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { NpmProperty } from './npm-properties.ts';

/* What a package loads from its service for a field: the choices of a value, or more fields. */

export type PackChoice = { readonly label: string; readonly value: Json };

/** What the service of a pack lists. `isDisabled`: the field takes no value now; `placeholder` says why. */
export type PackOptions = {
  readonly kind: 'options';
  readonly isDisabled: boolean;
  /** Null: none. */
  readonly placeholder: string | null;
  readonly options: readonly PackChoice[];
};

/** As the process of the pack returns it, once it is read. */
export type LoadedPackChoices =
  | PackOptions
  | { readonly kind: 'fields'; readonly properties: readonly NpmProperty[] };

/** As the service passes it on. `configSchema` is the JSON Schema of the field's value. */
export type PackChoices = PackOptions | { readonly kind: 'fields'; readonly configSchema: JsonObject };
