import { afterEach, expect } from 'vitest';
import { waitUntil, type ApiResponse, type Call } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { manual } from '../api/definitions.ts';
import { Provider, type ProviderBehavior } from './provider.ts';

export type ConnectionBody = Record<string, unknown> & { name: string; status: string; error: string | null };

/** What `GET`s a page, as a browser does: the redirect is the test's to follow. */
export async function open(url: string): Promise<{ status: number; location: string | null; text: string }> {
  const response = await fetch(url, { redirect: 'manual' });
  return { status: response.status, location: response.headers.get('location'), text: await response.text() };
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test says what it expects.
export function readBody<T = ConnectionBody>(reply: ApiResponse): T {
  if (reply.status >= 300) throw new Error(`${reply.status} ${reply.text}`);
  return reply.body as T;
}

/** Goes to the provider, consents, and comes back. */
export async function grantConsent(connectUrl: string): ReturnType<typeof open> {
  const atProvider = await open(connectUrl);
  expect(atProvider.status).toBe(302);
  return open(atProvider.location ?? '');
}

export async function connect(call: Call, provider: Provider, body: object = {}): Promise<ConnectionBody> {
  const made = readBody(
    await call('POST', '/connections', { body: { name: 'ACCOUNT', ...provider.settings, ...body } }),
  );
  const back = await grantConsent(String(made['connect_url']));
  expect(back.status, back.text).toBe(200);
  return readBody(await call('GET', `/connections/${made.name}`));
}

export const asAccount = (url: string, more: object = {}) => ({
  nodes: [
    manual,
    {
      id: 'call',
      type: 'http_request',
      config: { url, authentication: { type: 'oauth2', credential: 'ACCOUNT' }, ...more },
    },
  ],
  connections: [{ from: 'start', to: 'call' }],
});

export type ExecutionBody = {
  id: string;
  status: string;
  output: Record<string, unknown> | null;
  error: { type: string; message: string; status?: number } | null;
};

export async function createWorkflow(call: Call, definition: object): Promise<string> {
  return readBody<{ id: string }>(await call('POST', '/workflows', { body: { name: 'W', definition } })).id;
}

export async function run(call: Call, id: string, input: object = {}): Promise<ExecutionBody> {
  const reply = await call('POST', `/workflows/${id}/execute`, { body: { input, wait: '30s' } });
  const shown = readBody<ExecutionBody>(reply);
  return waitUntil(
    async () => readBody<ExecutionBody>(await call('GET', `/executions/${shown.id}`)),
    ({ status }) => ['completed', 'failed', 'stopped'].includes(status),
  );
}

/** A service for the file, called as administrator. Each test's providers and connections are removed. */
export function useConnections(env: Record<string, string> = {}) {
  const fixture = useService({ WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited', ...env });
  const providers: Provider[] = [];
  afterEach(async () => {
    const { connections } = readBody<{ connections: ConnectionBody[] }>(
      await fixture.api('GET', '/connections?limit=100'),
    );
    for (const { name } of connections)
      readBody(await fixture.api('DELETE', `/connections/${name}?force=true`));
    await Promise.all(providers.splice(0).map((one) => one.close()));
  });
  return {
    get service() {
      return fixture.weft;
    },
    call: fixture.api,
    dataDir: fixture.folder.path,
    async provider(quirks: ProviderBehavior = {}): Promise<Provider> {
      const made = await new Provider(quirks).open();
      providers.push(made);
      return made;
    },
  };
}
