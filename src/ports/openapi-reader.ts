import type { FieldError } from '../contract/errors.ts';
import type { OpenApiManifest } from '../contract/packs/packs.ts';

/** `url`: where the document was fetched, which relative servers refer to; null for a file. */
export type OpenApiSource = { readonly text: string; readonly url: string | null };

/** Reads an OpenAPI 3.0/3.1 or Swagger 2 document, in JSON or YAML. Uses no network. */
export type OpenApiReader = {
  /**
   * Errors have the `field` `document`, and name the place in it. `signal` cancels the reading, which is
   * then refused. Never rejects.
   */
  read(
    source: OpenApiSource,
    signal: AbortSignal,
  ): Promise<{ kind: 'manifest'; manifest: OpenApiManifest } | { kind: 'refused'; errors: FieldError[] }>;
};
