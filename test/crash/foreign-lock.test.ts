import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, expect, test } from 'vitest';
import type { ApiResponse } from '../support/service.ts';
import { endChildren } from './support/children.ts';
import { createCrashFixture, type CrashFixture } from './support/harness.ts';
import { testWorkflows } from './support/workflows.ts';

let rig: CrashFixture | null = null;
let db: Database.Database | null = null;

afterEach(async () => {
  db?.close();
  db = null;
  await endChildren();
  rig?.remove();
  rig = null;
});

test('while another program locks the database, writes wait and then fail, and reads still work', async () => {
  rig = await createCrashFixture();
  const given = rig;
  const service = await rig.startReady();
  const call = await rig.login();
  await rig.deploy(call, testWorkflows(rig.upstream));
  const start = async (): Promise<ApiResponse> => {
    const response = await call('POST', '/webhooks/crash/delay', { body: {} });
    const id = response.headers.get('x-weft-execution-id');
    if (response.status === 200)
      given.promised({ t: 'execution', id: id!, workflow: '', key: null, ended: false });
    return response;
  };
  await Promise.all(Array.from({ length: 5 }, start));

  db = new Database(path.join(rig.dataDir, 'weft.db'), { timeout: 2_000 });
  db.exec('BEGIN IMMEDIATE');
  const since = performance.now();
  let isRefused = false;
  const refused = start().finally(() => (isRefused = true));
  const reads = await Promise.all([call('GET', '/executions'), call('GET', '/workflows')]);
  expect(reads.map((response) => response.status)).toEqual([200, 200]);
  expect(isRefused).toBe(false);
  const { status, body } = await refused;
  expect([status, (body as { error: { code: string } }).error.code]).toEqual([500, 'INTERNAL_ERROR']);
  expect(performance.now() - since).toBeLessThan(20_000);
  const late = start();
  await new Promise((resolve) => setTimeout(resolve, 300));
  db.exec('ROLLBACK');
  expect((await late).status).toBe(200);
  await rig.settled(call, 20_000);
  service.kill('SIGTERM');
  expect((await service.exited).code, service.output()).toBe(0);
  expect(rig.check().violations).toEqual([]);
});
