import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ModelLists = {
  /** Without a path. */
  readonly url: string;
  readonly requests: { path: string; headers: IncomingHttpHeaders }[];
  close(): Promise<void>;
};

/** The lists of models of all providers: a page for each path with its query; 404 without one. */
export async function startModelLists(pages: Readonly<Record<string, unknown>>): Promise<ModelLists> {
  const requests: ModelLists['requests'] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers });
    const page = pages[path];
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(
      typeof page === 'string' ? page : JSON.stringify(page ?? { error: { message: 'none here' } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
