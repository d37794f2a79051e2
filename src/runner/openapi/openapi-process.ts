import { respondOnce } from '../sandbox/request-program.ts';
import { DocumentError } from './document.ts';
import { readManifest } from './manifest.ts';
import { MAX_ISSUE_LENGTH, parseRequest, type ReadResponse } from './openapi-messages.ts';

/*
 * Main program of the process that reads OpenAPI documents. They are untrusted and may take forever or crash
 * a parser, so it runs with limits and is killed after a timeout. It opens no files and connects nowhere.
 */

await respondOnce((request): ReadResponse => {
  const { text, url } = parseRequest(request);
  try {
    return { kind: 'manifest', manifest: readManifest(text, url) };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return { kind: 'refused', issue: error.message.slice(0, MAX_ISSUE_LENGTH) };
  }
});
