import type { OpenApiManifest } from '../../contract/packs/packs.ts';
import type { OpenApiSource } from '../../ports/openapi-reader.ts';

/** The request for stdin: a line with the URL as JSON, and the document, so that its text is not copied. */
export function printRequest({ text, url }: OpenApiSource): string {
  return `${JSON.stringify(url)}\n${text}`;
}

export function parseRequest(request: string): OpenApiSource {
  const end = request.indexOf('\n');
  return { url: JSON.parse(request.slice(0, end)) as string | null, text: request.slice(end + 1) };
}

/** The response. `issue` completes a sentence that begins with the field. */
export type ReadResponse =
  | { kind: 'manifest'; manifest: OpenApiManifest }
  | { kind: 'refused'; issue: string };

export const MAX_ISSUE_LENGTH = 1_000;
