import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { loopbackCertificate, loopbackKey } from '../servers/tls-certificates.ts';

export type Hook = { id: string; url: string; kind: string | null };
export type HookService = Awaited<ReturnType<typeof openHookService>>;

/** A fake service at which the trigger `item_changed` of the demo pack registers webhooks. */
export async function openHookService() {
  const hooks = new Map<string, Hook>();
  const requests: string[] = [];
  const held: ServerResponse[] = [];
  let registered = 0;
  const state = {
    hooks,
    /** Method and path of every request. */
    requests,
    held,
    /** Statuses of responses by method and first segment of the path; default: 200. */
    statuses: {} as Record<string, number>,
    /** Requests, in the same form, whose responses are held back. The requests take effect. */
    holds: new Set<string>(),
    authorizations: new Set<string>(),
    /** The account that the service returns for a token. */
    account: 'acme',
    /** Accounts of other tokens, by the Authorization header. */
    accounts: {} as Record<string, string>,
    /** Called before a registration gets its response. */
    verify: (_url: string): Promise<void> => Promise.resolve(),
  };
  const server = createServer({ cert: loopbackCertificate, key: loopbackKey }, (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { method = '', url = '' } = request;
      requests.push(`${method} ${url}`);
      const { authorization = '' } = request.headers;
      state.authorizations.add(authorization);
      const [, collection = '', id = ''] = url.split('/');
      const name = `${method} ${collection}`;
      const status = state.statuses[name] ?? 200;
      let result: unknown =
        collection === 'account' ? { account: state.accounts[authorization] ?? state.account } : {};
      const finish = (): void => {
        if (state.holds.has(name)) held.push(response);
        else response.writeHead(status).end(JSON.stringify(result));
      };
      if (name === 'DELETE hooks' && status === 200 && !hooks.delete(id))
        return response.writeHead(404).end('{}');
      if (name !== 'POST hooks' || status !== 200) return finish();
      const given = JSON.parse(body) as { url: string; kind?: string };
      const hook = { id: `h${++registered}`, url: given.url, kind: given.kind ?? null };
      hooks.set(hook.id, hook);
      result = { id: hook.id };
      state
        .verify(given.url)
        .then(finish, (error: unknown) =>
          response.writeHead(400).end(JSON.stringify({ message: String(error) })),
        );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(state, {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  });
}
