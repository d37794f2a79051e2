import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listObjects, listUploads, type StartedUpload, type StoredObject } from './s3-listing.ts';
import { escapeXml, computeEtag, findSignatureError, type Refusal } from './s3-signature.ts';

export { s3Keys } from './s3-signature.ts';

/** A request as failures and tests see it. `target`: the bucket, the key and the query. */
export type SeenRequest = { method: string; target: string };
/**
 * `cut`: closes the connection. `hang`: never responds. `lose`: does the work, then closes the connection.
 */
export type Failure = {
  when: (request: SeenRequest) => boolean;
  outcome: Refusal | 'cut' | 'hang' | 'lose';
  /** The number of requests that fail; not set: no limit. */
  times?: number;
};

/**
 * An S3 server on 127.0.0.1 with the buckets `reports` and `weft`. It checks every signature and the hash of
 * every body, and has the rules of uploads in parts.
 */
export type S3Server = {
  readonly url: string;
  readonly objects: ReadonlyMap<string, ReadonlyMap<string, StoredObject>>;
  readonly uploads: ReadonlyMap<string, StartedUpload>;
  /** All requests that arrived completely. */
  readonly requests: SeenRequest[];
  /** The first one that matches a request applies. */
  failures: Failure[];
  /** Makes the server close the connection after this number of bytes of the next body. */
  closeAfter(bytes: number): void;
  /** Makes everything older by this time, ms. */
  age(ms: number): void;
  put(bucket: string, key: string, body: string): void;
  remove(bucket: string, key: string): void;
  /** Refuses connections until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
};

const MIN_PART_BYTES = 5 * 1024 ** 2;

export async function startS3(): Promise<S3Server> {
  const buckets = new Map(['reports', 'weft'].map((name) => [name, new Map<string, StoredObject>()]));
  const uploads = new Map<string, StartedUpload>();
  const requests: SeenRequest[] = [];
  let closing: number | null = null;

  function respond(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const url = new URL(request.url ?? '/', 'http://host');
    const query = url.searchParams;
    const [, bucket = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
    const key = rest.join('/');
    const refuse = ({ status, code }: Refusal): void => {
      response
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(`<Error><Code>${code}</Code><Message>The request failed.</Message></Error>`);
    };
    const xml = (text: string): void => void response.end(text);
    const signatureError = findSignatureError(request, body);
    if (signatureError !== null) return refuse(signatureError);
    const objects = buckets.get(bucket);
    if (objects === undefined) return refuse({ status: 404, code: 'NoSuchBucket' });
    if (key === '')
      return xml(query.has('uploads') ? listUploads(uploads, bucket, query) : listObjects(objects, query));
    const uploadId = query.get('uploadId');
    if (query.has('uploads') || uploadId !== null)
      return useUpload({ request, response, body, query, bucket, key, objects, refuse });
    const source = request.headers['x-amz-copy-source'];
    if (typeof source === 'string') {
      const [, from = '', ...parts] = source.split('/').map(decodeURIComponent);
      const copied = buckets.get(from)?.get(parts.join('/'));
      if (copied === undefined) return refuse({ status: 404, code: 'NoSuchKey' });
      objects.set(key, copied);
      return xml(`<CopyObjectResult><ETag>${escapeXml(computeEtag(copied.body))}</ETag></CopyObjectResult>`);
    }
    if (request.method === 'PUT') {
      objects.set(key, { body, ...readAbout(request), modified: new Date() });
      return void response.writeHead(200, { etag: computeEtag(body) }).end();
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      return void response.writeHead(204).end();
    }
    const found = objects.get(key);
    if (found === undefined) return refuse({ status: 404, code: 'NoSuchKey' });
    send(request, response, found);
  }

  function useUpload(call: {
    request: IncomingMessage;
    response: ServerResponse;
    body: Buffer;
    query: URLSearchParams;
    bucket: string;
    key: string;
    objects: Map<string, StoredObject>;
    refuse: (refusal: Refusal) => void;
  }): void {
    const { request, response, body, query, bucket, key, objects, refuse } = call;
    if (query.has('uploads')) {
      const id = randomUUID();
      uploads.set(id, { bucket, key, ...readAbout(request), initiated: new Date(), parts: new Map() });
      return void response.end(
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    const id = query.get('uploadId') ?? '';
    const upload = uploads.get(id);
    if (upload?.key !== key) return refuse({ status: 404, code: 'NoSuchUpload' });
    if (request.method === 'DELETE') {
      uploads.delete(id);
      return void response.writeHead(204).end();
    }
    if (request.method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), body);
      return void response.writeHead(200, { etag: computeEtag(body) }).end();
    }
    const wanted = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)<\/ETag>/g)];
    const parts = wanted.map(([, number]) => upload.parts.get(Number(number)));
    const isGiven = wanted.every(([, , tag], i) => parts[i] !== undefined && tag === computeEtag(parts[i]));
    if (!isGiven || wanted.length === 0) return refuse({ status: 400, code: 'InvalidPart' });
    if (parts.slice(0, -1).some((part) => part!.length < MIN_PART_BYTES))
      return refuse({ status: 400, code: 'EntityTooSmall' });
    const { type, metadata, initiated } = upload;
    const whole = Buffer.concat(parts as Buffer[]);
    const etag = `"${computeEtag(whole).slice(1, -1)}-${parts.length}"`;
    // As in Amazon S3, the time of an object is that of the start of its upload.
    objects.set(key, { body: whole, type, metadata, modified: initiated, etag });
    uploads.delete(id);
    response.end(
      `<CompleteMultipartUploadResult><ETag>${escapeXml(etag)}</ETag></CompleteMultipartUploadResult>`,
    );
  }

  const self = {
    failures: [] as Failure[],
  };
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    let size = 0;
    request.on('error', () => {});
    request.on('data', (piece: Buffer) => {
      pieces.push(piece);
      size += piece.length;
      if (closing === null || size < closing) return;
      closing = null;
      request.socket.destroy();
    });
    request.on('end', () => {
      const seen = { method: request.method ?? '', target: decodeURIComponent(request.url ?? '').slice(1) };
      requests.push(seen);
      const failure = self.failures.find(({ when, times = Infinity }) => times > 0 && when(seen));
      if (failure?.times !== undefined) failure.times--;
      if (failure === undefined) return respond(request, response, Buffer.concat(pieces));
      if (failure.outcome === 'hang') return;
      if (failure.outcome === 'lose') {
        // The response goes nowhere.
        response.end = (() => response) as typeof response.end;
        respond(request, response, Buffer.concat(pieces));
      }
      if (typeof failure.outcome === 'string') return void request.socket.destroy();
      response
        .writeHead(failure.outcome.status, { 'content-type': 'application/xml' })
        .end(`<Error><Code>${failure.outcome.code}</Code><Message>The request failed.</Message></Error>`);
    });
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    return closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return Object.assign(self, {
    url: `http://127.0.0.1:${port}`,
    objects: buckets,
    uploads,
    requests,
    closeAfter: (bytes: number) => void (closing = bytes),
    age(ms: number) {
      const older = (date: Date): Date => new Date(date.getTime() - ms);
      for (const objects of buckets.values())
        for (const stored of objects.values()) stored.modified = older(stored.modified);
      for (const upload of uploads.values()) upload.initiated = older(upload.initiated);
    },
    put(bucket: string, key: string, text: string) {
      const body = Buffer.from(text);
      buckets.get(bucket)!.set(key, { body, type: 'text/plain', metadata: {}, modified: new Date() });
    },
    remove: (bucket: string, key: string) => void buckets.get(bucket)!.delete(key),
    pause: close,
    resume: () => listen(port),
    close,
  });
}

function readAbout(request: IncomingMessage): Pick<StoredObject, 'type' | 'metadata'> {
  const metadata = Object.entries(request.headers).filter(([name]) => name.startsWith('x-amz-meta-'));
  return {
    type: request.headers['content-type'] ?? 'binary/octet-stream',
    metadata: Object.fromEntries(metadata) as Record<string, string>,
  };
}

/** The object, or the requested range of it. */
function send(request: IncomingMessage, response: ServerResponse, found: StoredObject): void {
  const { modified, type, metadata, etag = computeEtag(found.body) } = found;
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const start = Number(from ?? 0);
  const end = Math.min(found.body.length, Number(to ?? Infinity) + 1);
  if (from !== undefined && start >= found.body.length)
    return void response.writeHead(416).end('<Error><Code>InvalidRange</Code></Error>');
  const body = found.body.subarray(start, end);
  response
    .writeHead(from === undefined ? 200 : 206, {
      'content-type': type,
      'content-length': body.length,
      etag,
      'last-modified': modified.toUTCString(),
      ...(from === undefined ? {} : { 'content-range': `bytes ${start}-${end - 1}/${found.body.length}` }),
      ...metadata,
    })
    .end(body);
}
