import { describe, expect, test } from 'vitest';
import { useFileNodeFixture } from '../../../test/support/file-node-fixture.ts';
import { createPdf, createPdfPages } from '../../../test/support/files/pdf.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { pdfText } from './pdf-text.node.ts';

const files = useFileNodeFixture();

const read = async (bytes: Buffer, config: JsonObject = {}) =>
  files.output(pdfText, config, await files.store(bytes));

describe('pdf_text', () => {
  test('reads the requested pages', async () => {
    const bytes = createPdfPages(Array.from({ length: 30 }, (_, i) => `Page ${i + 1}`));
    expect(await read(bytes, { from: 29 })).toEqual({
      total: 30,
      pages: [29, 30].map((page) => ({ page, text: `Page ${page}` })),
    });
    expect(await read(bytes, { limit: 1 })).toEqual({ total: 30, pages: [{ page: 1, text: 'Page 1' }] });
    expect(await files.failure(pdfText, { from: 31 }, await files.store(bytes))).toMatchObject({
      type: 'validation',
      message: 'from: must be a page of the file, which has 30',
    });
  });

  test.each<[string, Buffer, RegExp]>([
    ['an empty file', Buffer.alloc(0), /^value: must be a PDF file: The PDF file is empty/],
    ['text', Buffer.from('hello'), /^value: must be a PDF file: Invalid PDF structure$/],
    ['half of a file', createPdfPages(['a']).subarray(0, 60), /^value: must be a PDF file: /],
    [
      'a password',
      createPdf(
        ['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 0 >>'],
        `/ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <${'11'.repeat(32)}> /U <${'22'.repeat(32)}> /P -4 >>`,
      ),
      /^value: must not be protected by a password$/,
    ],
  ])('refuses %s', async (_name, bytes, message) => {
    expect(await files.failure(pdfText, {}, await files.store(bytes))).toMatchObject({
      type: 'validation',
      message: expect.stringMatching(message) as string,
    });
  });

  test('survives pages that refer to each other without end', async () => {
    const bytes = createPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 5 >>',
    ]);
    expect(await read(bytes)).toEqual({ total: 1, pages: [{ page: 1, text: '' }] });
  });
});
