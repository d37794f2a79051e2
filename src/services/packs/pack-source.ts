import { validationError } from '../../contract/errors.ts';
import { HttpFailure, type HttpRequest, type HttpResponse } from '../../contract/node-type.ts';
import type { InstallPack } from '../../contract/requests/pack.ts';
import { limits } from '../../ports/limits.ts';

/**
 * The text of a document. `url`: the URL that the request names, from which later versions can be loaded;
 * `baseUrl`: the one that responded, to which relative URLs in the document refer. Null for a text.
 */
export type PackSource = { text: string; url: string | null; baseUrl: string | null };

const decoder = new TextDecoder('utf-8', { fatal: true });

/** @throws {WeftError} VALIDATION_ERROR at `document` or `url`. */
export async function loadPackSource(
  { document, url }: Pick<InstallPack, 'document' | 'url'>,
  send: (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>,
): Promise<PackSource> {
  if ((document === undefined) === (url === undefined))
    throw validationError([
      { field: 'document', issue: 'is required without url, and is not allowed together with it' },
    ]);
  if (document !== undefined) return { text: document, url: null, baseUrl: null };
  return fetchText(url!, send);
}

async function fetchText(
  url: string,
  send: (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>,
): Promise<PackSource> {
  const refuse = (issue: string) => validationError([{ field: 'url', issue }]);
  let response: HttpResponse;
  try {
    response = await send(
      {
        method: 'GET',
        url,
        headers: { accept: 'application/json, application/yaml, text/yaml, */*;q=0.5' },
        timeout: limits.packFetch,
        maxBytes: limits.openApiDocument,
      },
      new AbortController().signal,
    );
  } catch (error) {
    if (error instanceof HttpFailure) throw refuse(`could not be loaded: ${error.message}`);
    throw error;
  }
  if (response.status !== 200) throw refuse(`could not be loaded: the server answered ${response.status}`);
  try {
    return { text: decoder.decode(response.body), url, baseUrl: response.url };
  } catch {
    throw refuse('could not be loaded: the document is not UTF-8');
  }
}
