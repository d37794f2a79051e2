import { isObject } from '../../lib/json/json.ts';
import { respondToDocument } from './document-program.ts';
import { DocumentError } from './document-messages.ts';
import { readMail } from './mail.ts';

/* Main program of the process that reads messages of mailboxes. */

// Libraries may report problems of messages, and stdout is the response.
console.log = console.warn = console.info = () => {};

await respondToDocument(async function* (task, document) {
  if (!isObject(task)) throw new Error('The task is not an object');
  try {
    yield* readMail(document, task['headersOnly'] === true);
  } catch (error) {
    // A message that is nested too deeply for a library.
    if (error instanceof RangeError) throw new DocumentError('must not be nested so deeply', 'limit');
    throw error;
  }
});
