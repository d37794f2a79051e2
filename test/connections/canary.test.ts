import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { listSecretForms } from '../../src/lib/text/redact.ts';
import { spawnService, createTempFolder, type SpawnedService } from '../support/service.ts';
import { Provider } from './provider.ts';
import { asAccount, connect, run, readBody, createWorkflow } from './oauth-accounts.ts';

/*
 * A service in a process of its own at its most talkative, and an API that repeats what it is sent wherever
 * it can. What was given out, and what it was given out for, is then looked for in all that left the process.
 */
const folder = createTempFolder();
let service: SpawnedService | null = null;
let provider: Provider | null = null;
afterAll(async () => {
  await service?.kill9();
  await provider?.close();
  folder.remove();
});

it('no token, code or client secret shows: in no log, in no API, in no file', async () => {
  provider = await new Provider({ expiresIn: 3600 }).open();
  service = await spawnService({ dataDir: folder.path, env: { WEFT_LOG_LEVEL: 'debug' } });
  const call = await service.login();
  const message: string[] = [];
  const noted: typeof call = async (...args) => {
    const response = await call(...args);
    message.push(response.text, JSON.stringify([...response.headers]));
    return response;
  };
  await connect(noted, provider, { test_url: `${provider.url}/me` });
  // Failures and logs are stored without them; outputs are data, and stay whole: this API fails.
  provider.api = (request) => ({
    status: 400,
    body: {
      error: `no ${request.headers.authorization}`,
      again: Buffer.from(request.headers.authorization ?? '').toString('base64'),
    },
  });
  const id = await createWorkflow(noted, asAccount(`${provider.url}/x`));
  expect((await run(noted, id)).status).toBe('failed');
  const page = await graphql(
    noted,
    '{ connections { connections { name error status } } executions { id error { message data } output } }',
  );
  expect(page).toContain('ACCOUNT');
  readBody(await noted('POST', '/connections/ACCOUNT/refresh'));
  readBody(await noted('POST', '/connections/ACCOUNT/test'));
  await noted('GET', `/executions?limit=100`);
  for (const { id: execution } of readBody<{ executions: { id: string }[] }>(
    await noted('GET', '/executions'),
  ).executions) {
    await noted('GET', `/executions/${execution}`);
    await noted('GET', `/executions/${execution}/logs?limit=100`);
  }
  provider.revokeAll();
  expect((await noted('POST', '/connections/ACCOUNT/refresh')).status).toBe(400);
  expect((await run(noted, id)).error?.message).toContain('must be authorized again');
  await noted('GET', '/connections');
  // An output that holds it: complete in the journal, redacted in the APIs.
  await connect(noted, provider, { name: 'OTHER' });
  provider.api = null;
  const echo = { ...asAccount(`${provider.url}/echo`) };
  const other = JSON.parse(JSON.stringify(echo).replaceAll('ACCOUNT', 'OTHER')) as object;
  const before = files(folder.path);
  const ran = await run(noted, await createWorkflow(noted, other));
  expect(ran.output).toMatchObject({ body: { seen: 'Bearer •••' } });
  readBody(await noted('POST', '/connections/OTHER/refresh'));
  // The token of before is still good for an hour, and still redacted.
  expect(readBody(await noted('GET', `/executions/${ran.id}`))).toMatchObject({
    output: { body: { seen: 'Bearer •••' } },
  });
  await service.stop();

  const canaries = [
    ...provider.apiCalls.map(({ authorization }) => authorization?.replace('Bearer ', '') ?? ''),
    ...provider.tokenCalls.flatMap(({ form }) => [
      form['code'],
      form['refresh_token'],
      form['code_verifier'],
      form['client_secret'],
    ]),
    'canary-client-secret',
  ].filter((text): text is string => text !== undefined && text !== '');
  expect(new Set(canaries).size).toBeGreaterThan(5);
  const places = {
    doors: message.join('\n'),
    logs: service.logs(),
    'files before an output held one': before,
  };
  for (const [location, text] of Object.entries(places))
    for (const canary of new Set(canaries))
      for (const form of listSecretForms(canary))
        expect(text.includes(form), `${form} in ${location}`).toBe(false);
  // The net would hold: the journal has what the API echoed.
  expect(files(folder.path)).toContain('canary-access-');
});

async function graphql(call: Awaited<ReturnType<SpawnedService['login']>>, query: string): Promise<string> {
  return (await call('POST', '/graphql', { body: { query } })).text;
}

/** Every byte that the service keeps on disk, as text. */
function files(where: string): string {
  return readdirSync(where, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name)).toString('latin1'))
    .join('\n');
}
