import { isObject } from '../../lib/json/json.ts';
import { respondToDocument } from './document-program.ts';
import { readMails, type MailPart } from './mail.ts';

/* Main program of the process that reads messages of mailboxes. */

// Libraries may report problems of messages, and stdout is the response.
console.log = console.warn = console.info = () => {};

await respondToDocument((task, document) => {
  if (!isObject(task)) throw new Error('The task is not an object');
  return readMails(document, task['parts'] as MailPart[]);
});
