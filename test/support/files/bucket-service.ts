import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { manual } from '../../api/definitions.ts';
import { s3Keys, type S3Server } from '../servers/s3/s3-server.ts';
import { spawnService, createTempFolder, waitUntil, type Call, type SpawnedService } from '../service.ts';

/** Retention starts soon after a start, and repeats often, instead of each minute. */
export const EARLY_RETENTION_MODULE = `data:text/javascript,${encodeURIComponent(
  'const later = globalThis.setTimeout; globalThis.setTimeout = (run, ms, ...more) => later(run, ms === 60000 ? 100 : ms, ...more);',
)}`;
export const MIB = 1024 ** 2;

/** The settings of a service whose files are in the bucket `weft`, in the folder `prefix`. */
export const createBucketEnv = (
  s3: { readonly url: string },
  prefix: string,
  bucket = 'weft',
): Record<string, string> => ({
  WEFT_FILES_URL: `s3://${bucket}/${prefix}?endpoint=${s3.url}`,
  AWS_ACCESS_KEY_ID: s3Keys.access_key_id,
  AWS_SECRET_ACCESS_KEY: s3Keys.secret_access_key,
});

export const computeHash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
/** The same bytes for the same path. */
export const createContent = (path: string, size: number): Buffer =>
  Buffer.alloc(size, computeHash(Buffer.from(path)), 'hex');

/** Serves files at `/<size>/<name>`, with a pause for `?slow`, and keeps the hashes of what is sent to it. */
export type FileServer = { url: string; received: Map<string, string>; close(): void };

export async function startFileServer(): Promise<FileServer> {
  const received = new Map<string, string>();
  const server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host');
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      const content = createContent(pathname, Number(pathname.split('/')[1]));
      return void Readable.from(inPieces(content, searchParams.get('slow') === 'yes' ? 30 : 0)).pipe(
        response,
      );
    }
    buffer(request).then(
      (body) => {
        received.set(pathname, computeHash(body));
        response.end('{}');
      },
      // Interrupted by a kill: the call is repeated.
      () => {},
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function* inPieces(content: Buffer, pause: number): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < content.length; at += MIB / 2) {
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    yield content.subarray(at, at + MIB / 2);
  }
}

export type ExecutionBody = {
  id: string;
  status: string;
  error: { type: string; message: string; node_id: string } | null;
  nodes: { node_id: string; output: { body: { $file?: { id: string } } } }[];
};

/** A workflow that downloads `path`, stores it as a file, and sends it to `path`. */
export async function saveTransfer(call: Call, url: string, settings: object = {}): Promise<string> {
  const nodes = [
    manual,
    {
      id: 'get',
      type: 'http_request',
      config: { method: 'GET', url: `${url}/{{ trigger.size }}/{{ trigger.name }}?slow={{ trigger.slow }}` },
    },
    {
      id: 'send',
      type: 'http_request',
      config: {
        method: 'POST',
        url: `${url}/{{ trigger.size }}/{{ trigger.name }}?slow={{ trigger.slow }}`,
        body: '{{ nodes.get.body }}',
        body_type: 'binary',
      },
    },
  ];
  const connections = nodes.slice(1).map((node, i) => ({ from: nodes[i]!.id, to: node.id }));
  const saved = await call('POST', '/workflows', {
    body: { name: 'transfer', definition: { nodes, connections }, settings },
  });
  expect(saved.status, saved.text).toBe(201);
  return (saved.body as { id: string }).id;
}

export async function execute(call: Call, workflow: string, path: string): Promise<string> {
  const [, size, name, isSlow] = /^\/(\d+)\/([^?]+)(\?slow)?$/.exec(path) ?? [];
  const reply = await call('POST', `/workflows/${workflow}/execute`, {
    body: { input: { size, name, slow: isSlow === undefined ? 'no' : 'yes' } },
  });
  expect(reply.status, reply.text).toBe(201);
  return (reply.body as { id: string }).id;
}

export async function waitForEnd(call: Call, id: string): Promise<ExecutionBody> {
  return waitUntil(
    async () => (await call('GET', `/executions/${id}`)).body as ExecutionBody,
    ({ status }) => ['completed', 'failed', 'stopped'].includes(status),
    90_000,
  );
}

export function findFile(shown: ExecutionBody): string {
  return shown.nodes.find((node) => node.node_id === 'get')?.output.body.$file?.id ?? 'none';
}

/** The keys of the files in the bucket. */
export const listFiles = (s3: S3Server, prefix: string): string[] =>
  [...s3.objects.get('weft')!.keys()].filter((key) => key.startsWith(`${prefix}/files/`));

export type BucketFixture<S> = {
  /** Available in tests, not before. */
  readonly s3: S;
  readonly upstream: FileServer;
  /** The data folder of the test. */
  readonly folder: string;
  /** The folder of the test in the bucket. */
  readonly prefix: string;
  readonly service: SpawnedService;
  /** Starts the service of the test, and logs in. */
  readonly start: (env?: Record<string, string>, nodeArgs?: string[]) => Promise<Call>;
};

/**
 * A server with buckets and a server of files for a test file, and a data folder and a service for each test,
 * which is killed after it.
 */
export function useBucketService<S extends { readonly url: string; close(): Promise<void> }>(
  startBuckets: () => Promise<S>,
): BucketFixture<S> {
  let s3: S | null = null;
  let upstream: FileServer | null = null;
  let folder: ReturnType<typeof createTempFolder>;
  let service: SpawnedService | null = null;
  let count = 0;
  const prefix = (): string => `p${count}`;

  beforeAll(async () => {
    [s3, upstream] = await Promise.all([startBuckets(), startFileServer()]);
  });
  afterAll(async () => {
    upstream?.close();
    await s3?.close();
  });
  beforeEach(() => {
    folder = createTempFolder();
    count++;
  });
  afterEach(async () => {
    await service?.kill9();
    service = null;
    folder.remove();
  });

  return {
    get s3() {
      return s3!;
    },
    get upstream() {
      return upstream!;
    },
    get folder() {
      return folder.path;
    },
    get prefix() {
      return prefix();
    },
    get service() {
      return service!;
    },
    start: async (env = createBucketEnv(s3!, prefix()), nodeArgs = []) => {
      service = await spawnService({ dataDir: folder.path, env, nodeArgs });
      return service.login();
    },
  };
}
