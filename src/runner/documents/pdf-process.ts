import { getDocumentProxy } from 'unpdf';
import { isObject } from '../../lib/json/json.ts';
import { respondToDocument } from './document-program.ts';
import { DocumentError } from './document-messages.ts';

/*
 * Main program of the process that reads the text of PDF files: a line of JSON with the number of pages, and
 * one for each page.
 */

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

// The library reports problems of documents, and stdout is the response.
console.log = console.warn = console.info = () => {};

await respondToDocument(async (task, document) => {
  if (!isObject(task)) throw new Error('The task is not an object');
  const { from, limit } = task;
  const pdf = await open(document);
  return readPages(pdf, Number(from), Number(limit));
});

async function open(document: Buffer): Promise<Pdf> {
  try {
    return await getDocumentProxy(new Uint8Array(document), {
      verbosity: 0,
      // Texts need no rendered fonts.
      disableFontFace: true,
      useSystemFonts: false,
      useWorkerFetch: false,
    });
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'PasswordException') throw new DocumentError('must not be protected by a password');
    if (error instanceof RangeError) throw error;
    throw new DocumentError(`must be a PDF file: ${message.replace(/\.$/, '')}`);
  }
}

async function* readPages(pdf: Pdf, from: number, limit: number): AsyncGenerator<string, void> {
  yield `${JSON.stringify(pdf.numPages)}\n`;
  if (from > pdf.numPages && from > 1)
    throw new DocumentError(`must be a page of the file, which has ${pdf.numPages}`, 'validation', 'from');
  for (let page = from; page <= Math.min(pdf.numPages, from + limit - 1); page++)
    yield `${JSON.stringify({ page, text: await readPage(pdf, page) })}\n`;
}

async function readPage(pdf: Pdf, number: number): Promise<string> {
  try {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    return items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new DocumentError(`has no readable page ${number}: ${(error as Error).message}`);
  }
}
