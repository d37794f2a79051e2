import { isObject, type Json } from '../../lib/json/json.ts';
import { respondToDocument } from './document-program.ts';
import { DocumentError } from './document-messages.ts';
import { readFeed } from './feed.ts';
import { extract, selectPart } from './html-extraction.ts';
import { toHtml, toMarkdown } from './markdown.ts';

/* Main program of the process that reads HTML, Markdown and feeds. The response is JSON. */

// Libraries may report problems of documents, and stdout is the response.
console.log = console.warn = console.info = () => {};

await respondToDocument((task, document) => {
  if (!isObject(task)) throw new Error('The task is not an object');
  try {
    return [JSON.stringify(run(task, document))];
  } catch (error) {
    // A document that is nested too deeply for a library.
    if (error instanceof RangeError) throw new DocumentError('must not be nested so deeply', 'limit');
    throw error;
  }
});

function run(task: Record<string, Json>, document: Buffer): Json {
  switch (task['operation']) {
    case 'extract':
      return extract(task, document);
    case 'to_markdown':
      return toMarkdown(selectPart(task, document));
    case 'from_markdown':
      return toHtml(document, task['sanitize'] !== false, task['breaks'] === true);
    default:
      return readFeed(document, typeof task['charset'] === 'string' ? task['charset'] : null);
  }
}
