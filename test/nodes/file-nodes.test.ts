import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pdfText } from '../../src/nodes/files/pdf-text.node.ts';
import { manual } from '../api/definitions.ts';
import { spawnService, createTempFolder, type Call, type SpawnedService } from '../support/service.ts';

/* Nodes that read and create files, on the built service. */

const MB = 1024 * 1024;
/** `LARGE_FILE_MB=200 npm test -- test/nodes/file-nodes.test.ts` measures a larger file. */
const LARGE_FILE = Number(process.env['LARGE_FILE_MB'] ?? 30) * MB;
/** Growth of the process in bytes: two batches of rows, and memory that is not collected yet. */
const MAX_GROWTH_BYTES = 120 * MB;
const ROW_BYTES = 100;
const ROWS = Math.floor(LARGE_FILE / ROW_BYTES);
const BATCH_SIZE = 1_000;

const JSON_FEED = JSON.stringify({
  version: 'https://jsonfeed.org/version/1.1',
  title: 'T',
  items: [{ id: '1', title: 'A' }],
});

const folder = createTempFolder();
let files: Server;
let base: string;
let weft: SpawnedService;
let call: Call;

beforeAll(async () => {
  files = createServer((request, response) => {
    if (request.url === '/page')
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>News</h1>');
    if (request.url === '/feed')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON_FEED);
    const rows = Number(request.url!.split('/')[2]);
    response.writeHead(200, { 'content-type': 'text/csv' });
    void sendRows(response, rows);
  });
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  weft = await spawnService({ dataDir: folder.path });
  call = await weft.login();
});
afterAll(async () => {
  await weft?.stop();
  files.closeAllConnections();
  files.close();
  folder.remove();
});

async function sendRows(response: ServerResponse, rows: number): Promise<void> {
  response.write('id;text;list\n');
  for (let i = 0; i < rows; i += BATCH_SIZE) {
    const lines = Array.from({ length: Math.min(BATCH_SIZE, rows - i) }, (_, n) => {
      const start = `${String(i + n).padStart(9, '0')};"a;b";`;
      return `${start}${'x'.repeat(ROW_BYTES - start.length - 1)}\n`;
    });
    if (!response.write(lines.join(''))) await new Promise((resolve) => response.once('drain', resolve));
  }
  response.end();
}

type Ended = { status: string; output: unknown; error: { message: string; node_id: string } | null };

/** Runs nodes one after the other. */
async function run(nodes: { id: string; type: string; config: object }[]): Promise<Ended> {
  const ids = ['start', ...nodes.map(({ id }) => id)];
  const connections = ids.slice(1).map((to, i) => ({ from: ids[i], to }));
  const made = await call('POST', '/workflows', {
    body: { name: 'files', definition: { nodes: [manual, ...nodes], connections } },
  });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body as { id: string };
  const ran = await call('POST', `/workflows/${id}/execute`, { body: { wait: '60s' } });
  return ran.body as Ended;
}

const fetchFile = (path: string) => ({
  id: 'get',
  type: 'http_request',
  config: { url: `${base}${path}`, responseType: 'file' },
});

/** Bytes; `VmHWM` is the peak since it was last set back. */
function memory(field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${weft.child.pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)![1]) * 1024;
}

test('a large CSV file is read in batches, never held in memory', async () => {
  const read = (rows: number) =>
    run([
      fetchFile(`/csv/${rows}`),
      {
        id: 'first',
        type: 'csv',
        config: { operation: 'parse', value: '{{ nodes.get.body }}', delimiter: 'auto', limit: BATCH_SIZE },
      },
      {
        id: 'last',
        type: 'csv',
        config: {
          operation: 'parse',
          value: '{{ nodes.get.body }}',
          delimiter: ';',
          offset: `{{ ${rows} - ${BATCH_SIZE} }}`,
        },
      },
    ]);
  // Code that the first run loads is not part of the file's memory.
  await read(10 * BATCH_SIZE);
  const before = memory('VmRSS');
  writeFileSync(`/proc/${weft.child.pid}/clear_refs`, '5');
  const began = performance.now();
  const ended = await read(ROWS);
  const grown = memory('VmHWM') - before;
  if (LARGE_FILE > 100 * MB)
    console.log(
      `${LARGE_FILE / MB} MB: +${Math.round(grown / MB)} MB on ${Math.round(before / MB)}, ${Math.round(performance.now() - began)} ms`,
    );
  expect(ended.status).toBe('completed');
  const ids = (ended.output as { id: string }[]).map(({ id }) => Number(id));
  expect(ids).toEqual(Array.from({ length: BATCH_SIZE }, (_, i) => ROWS - BATCH_SIZE + i));
  expect(grown).toBeLessThan(MAX_GROWTH_BYTES);
});

test('a spreadsheet is created and read again', async () => {
  const items = [
    { id: 1, due: '2026-01-05', name: 'Ada' },
    { id: 2, due: '2026-01-06', name: '=1+1' },
  ];
  const ended = await run([
    { id: 'create', type: 'spreadsheet', config: { operation: 'create', items } },
    { id: 'read', type: 'spreadsheet', config: { operation: 'read' } },
  ]);
  expect(ended).toMatchObject({ status: 'completed', output: items });
});

test('a broken spreadsheet fails its node', async () => {
  const ended = await run([
    fetchFile('/csv/3'),
    { id: 'read', type: 'spreadsheet', config: { operation: 'read', value: '{{ input.body }}' } },
  ]);
  expect(ended).toMatchObject({ status: 'failed', error: { type: 'validation', node_id: 'read' } });
  expect(ended.error!.message).toMatch(/^value: must be an XLSX file: /);
});

test('the text of a PDF file is read', async () => {
  const [example] = pdfText.examples;
  const ended = await run([{ id: 'pdf', type: 'pdf_text', config: { value: example!.input } }]);
  expect(ended).toMatchObject({ status: 'completed', output: example!.outputs!['out'] });
});

test('a ZIP file is created, extracted and read', async () => {
  const ended = await run([
    fetchFile('/csv/2'),
    {
      id: 'create',
      type: 'zip',
      config: { operation: 'create', files: [{ path: 'a/rows.csv', content: '{{ nodes.get.body }}' }] },
    },
    { id: 'extract', type: 'zip', config: { operation: 'extract', include: '**/*.csv' } },
    {
      id: 'rows',
      type: 'csv',
      config: {
        operation: 'parse',
        value: '{{ input[0].file }}',
        delimiter: 'auto',
        columns: ['id', 'text', 'x'],
        header: true,
      },
    },
  ]);
  expect(ended).toMatchObject({ status: 'completed', output: [{ id: '000000000' }, { id: '000000001' }] });
});

test('a page and a feed are read', async () => {
  const page = await run([
    { id: 'get', type: 'http_request', config: { url: `${base}/page` } },
    {
      id: 'html',
      type: 'html',
      config: { operation: 'extract', value: '{{ input.body }}', fields: { title: { selector: 'h1' } } },
    },
    {
      id: 'text',
      type: 'html',
      config: { operation: 'to_markdown', value: '{{ nodes.get.body }}' },
    },
  ]);
  expect(page).toMatchObject({ status: 'completed', output: '# News' });
  const feed = await run([{ id: 'rss', type: 'rss', config: { url: `${base}/feed` } }]);
  expect(feed).toMatchObject({
    status: 'completed',
    output: { title: 'T', items: [{ id: '1', title: 'A' }] },
  });
});
