import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { createTestClock } from '../support/time/clock.ts';
import { startInProcess, type InProcess } from '../support/in-process.ts';
import { createTempFolder, type Call } from '../support/service.ts';

/*
 * first-data.db.gz is the database of a data folder from the first version with the current first migration.
 * Two of its executions wait for an hour. The key next to it has never protected anything else.
 */
const KEY = '1ehkZDt5d1aqpSbJ6iLGg3yCT5WYV/HR2Uni6gnGruw=';
const MADE = Date.parse('2026-11-21T13:27:12.000Z');
const HOUR_MS = 3_600_000;

const folder = createTempFolder();
let weft: InProcess | null = null;
afterAll(async () => {
  await weft?.service.stop();
  folder.remove();
});

test('the data of the first version is migrated, with its waiting executions', async () => {
  mkdirSync(folder.path, { recursive: true });
  const packed = readFileSync(path.join(import.meta.dirname, 'first-data.db.gz'));
  writeFileSync(path.join(folder.path, 'weft.db'), gunzipSync(packed), { mode: 0o600 });
  writeFileSync(path.join(folder.path, 'secret.key'), `${KEY}\n`, { mode: 0o600 });
  const clock = createTestClock(MADE + HOUR_MS / 2);
  weft = await startInProcess({ dataDir: folder.path, clock });
  let call = await weft.login();
  const list = async (): Promise<{ id: string; status: string }[]> => listExecutions(call);
  expect((await list()).map(({ status }) => status)).toEqual(['waiting', 'waiting']);

  await clock.advance(HOUR_MS);
  // The session expired after an hour.
  call = await weft.login();
  await expect
    .poll(async () => (await list()).map(({ status }) => status))
    .toEqual(['completed', 'completed']);
  const outputs: unknown[] = [];
  for (const { id } of await list()) {
    const { body } = await call('GET', `/executions/${id}`);
    outputs.push((body as { output: unknown }).output);
  }
  expect(outputs).toEqual([{ text: 'Hello Grace' }, { text: 'Hello Ada' }]);

  const hook = await weft.call('POST', '/webhooks/remind', { body: { name: 'Lin' } });
  expect(hook.status).toBeLessThan(300);
  const { body: secrets } = await call('GET', '/secrets');
  expect((secrets as { secrets: { name: string }[] }).secrets.map(({ name }) => name)).toEqual(['SHOP']);
});

async function listExecutions(call: Call): Promise<{ id: string; status: string }[]> {
  const { body } = await call('GET', '/executions');
  return (body as { executions: { id: string; status: string }[] }).executions;
}
