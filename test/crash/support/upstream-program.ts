import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appendRecord } from './record-file.ts';
import type { UpstreamCall } from './upstream-record.ts';

/*
 * The server for every http_request, as a separate process: `node upstream-program.ts <record file>`. It
 * records a call before it responds. `/call/<node>` responds with 200; `/flaky/<node>` responds with 503 as
 * often as the key specifies (0 to 2 times) before that; `/slow/<node>` takes 40 ms, `/long/<node>` 2.5 s;
 * `/hang/<node>` never responds. The body of a call is {execution}.
 */
const file = process.argv[2]!;
const seen = new Map<string, number>();

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    const [, kind, node = ''] = (request.url ?? '').split('/');
    const key = String(request.headers['idempotency-key'] ?? '');
    const earlier = seen.get(key) ?? 0;
    seen.set(key, earlier + 1);
    const failures = kind === 'flaky' ? key.charCodeAt(0) % 3 : 0;
    const status = kind === 'hang' ? 0 : earlier < failures ? 503 : 200;
    const { execution = '' } = JSON.parse(text === '' ? '{}' : text) as { execution?: string };
    appendRecord(file, { at: Date.now(), key, node, execution, earlier, status } satisfies UpstreamCall);
    if (status === 0) return;
    const respond = (): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ execution, node, call: earlier + 1 }));
    };
    if (kind === 'slow') setTimeout(respond, 40);
    else if (kind === 'long') setTimeout(respond, 2_500);
    else respond();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`);
});
