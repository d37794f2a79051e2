import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { connectSocket, endSocketClients } from '../support/websocket/websocket-client.ts';
import { spawnService, caller, createTempFolder, type ApiResponse } from '../support/service.ts';
import { createEchoWorkflow, longWait } from '../api/definitions.ts';

/**
 * What would run on. What only lies there is removed later, when no request of the user can still be under
 * way.
 */
const wouldRunOn: Record<string, string> = {
  workflows: 'removed = 0',
  executions: "status IN ('queued', 'running', 'waiting')",
  webhooks: '1 = 1',
  schedules: '1 = 1',
};

test('a user who is deleted during requests: no error, no valid credential, no remaining row', async () => {
  const folder = createTempFolder();
  const weft = await spawnService({
    dataDir: folder.path,
    env: { WEFT_RATE_LIMIT_STANDARD: 'unlimited' },
  });
  const admin = await weft.login();
  const ids: string[] = [];
  for (let round = 0; round < 3; round++) {
    const person = { email: `leaver${round}@example.com`, password: 'a password of twenty' };
    const { id } = (await admin('POST', '/users', { body: person })).body as { id: string };
    ids.push(id);
    const { token } = (await weft.call('POST', '/auth/login', { body: person })).body as { token: string };
    const headers = { authorization: `Bearer ${token}` };
    const call = caller(weft.url, headers);
    const made = (await call('POST', '/api-keys', { body: { name: 'x' } })).body as { key: string };
    const key = caller(weft.url, { 'x-api-key': made.key });
    const client = await connectSocket(weft.url);
    expect((await client.auth(token)).type).toBe('auth_success');
    const workflow = (await call('POST', '/workflows', { body: { name: 'x', definition: longWait } }))
      .body as { id: string };

    const handler = 'export default async () => ({})';
    const one = (at: number): Promise<ApiResponse> => {
      const by = at % 2 === 0 ? call : key;
      switch (at % 7) {
        case 0:
          return by('POST', `/workflows/${workflow.id}/execute`, { body: {} });
        case 1:
          return by('PUT', `/secrets/LATE_${at}`, { body: { value: `late ${at}` } });
        case 2:
          return by('POST', '/workflows', {
            body: { name: 'late', definition: createEchoWorkflow(`late/${round}/${at}`), status: 'active' },
          });
        case 3:
          return by('POST', '/templates', {
            body: { templateName: `late ${at}`, workflow: { name: 'x' } },
          });
        case 4:
          return by('POST', '/nodes', {
            body: { nodeType: `late_${at}`, implementation: { runtime: 'javascript', handler } },
          });
        case 5:
          return call('POST', '/api-keys', { body: { name: 'late' } });
        default:
          return weft.call('POST', '/auth/login', { body: person });
      }
    };
    const busy: Promise<ApiResponse>[] = [];
    for (let at = 0; at < 84; at++) {
      busy.push(one(at));
      if (at === 42) busy.push(admin('DELETE', `/users/${id}`));
      if (at % 6 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    for (const { status, text } of await Promise.all(busy))
      expect([200, 201, 400, 401, 404, 429], text).toContain(status);
    for (const by of [call, key]) expect((await by('GET', '/users/me')).status).toBe(401);
    expect(await client.closed()).toMatchObject({ code: 4401 });
    expect((await weft.call('POST', '/auth/refresh', { headers })).status).toBe(401);
    expect((await weft.call('POST', '/auth/login', { body: person })).status).toBe(401);
    for (let at = 2; at < 84; at += 7) {
      const hook = await weft.call('POST', `/webhooks/late/${round}/${at}`, { body: {} });
      expect(hook.status, `${at} ${hook.text}`).toBe(404);
    }
  }
  endSocketClients();
  await weft.stop();
  const db = new Database(path.join(folder.path, 'weft.db'), { readonly: true });
  const left = Object.entries(wouldRunOn).flatMap(([table, condition]) => {
    const marks = ids.map(() => '?').join(',');
    const { n } = db
      .prepare<string[], { n: number }>(
        `SELECT count(*) AS n FROM ${table} WHERE ${condition} AND owner_id IN (${marks})`,
      )
      .get(...ids)!;
    return n === 0 ? [] : [`${table}: ${n}`];
  });
  db.close();
  folder.remove();
  expect(left).toEqual([]);
});
