import type { PackManifest } from '../../contract/packs.ts';
import type { OpenApiSource } from '../../ports/openapi-reader.ts';

/** The request, which the reading process reads from stdin as JSON. */
export type ReadRequest = OpenApiSource;

/** The response. `issue` completes a sentence that begins with the field. */
export type ReadResponse = { kind: 'manifest'; manifest: PackManifest } | { kind: 'refused'; issue: string };

export const MAX_ISSUE_LENGTH = 1_000;
