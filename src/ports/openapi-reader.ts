import type { FieldError } from '../contract/errors.ts';
import type { PackManifest } from '../contract/packs.ts';

/** Reads an OpenAPI 3.0/3.1 or Swagger 2 document, in JSON or YAML. */
export type OpenApiReader = {
  /**
   * Errors have the `field` `document`, and name the place in it. `signal` ends the reading, which is then
   * refused.
   */
  read(
    document: string,
    signal: AbortSignal,
  ): Promise<
    { kind: 'manifest'; manifest: PackManifest } | { kind: 'refused'; errors: FieldError[] }
  >;
};
