import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { waitUntil, type ApiResponse, type Call } from '../support/service.ts';
import { endChildren } from './support/children.ts';
import { createCrashFixture, type CrashFixture } from './support/harness.ts';
import { testWorkflows } from './support/workflows.ts';

let rig: CrashFixture | null = null;
let mounted: string | null = null;

afterEach(async () => {
  await endChildren();
  rig?.remove();
  if (mounted === null) return;
  execFileSync('umount', [mounted]);
  rmSync(mounted, { recursive: true, force: true });
  mounted = null;
});

/** A separate small file system, or null without permission to mount one. */
function mountSmall(): string | null {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-small-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', folder], { stdio: 'pipe' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
}

/** Fills the file system. */
function fill(file: string): number {
  for (let size = 65_536; size >= 1; size >>= 1)
    for (;;) {
      try {
        appendFileSync(file, Buffer.alloc(size));
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
        break;
      }
    }
  return statSync(file).size;
}

const readErrorCode = (response: ApiResponse): unknown =>
  (response.body as { error?: { code?: unknown } } | null)?.error?.code;

test('a full disk: clear errors, no lost data, working reads, and automatic recovery', async ({ skip }) => {
  mounted = mountSmall();
  if (mounted === null) {
    if (process.env['CI'] === 'true' && process.getuid?.() === 0)
      throw new Error('tmpfs could not be mounted');
    const note = 'only root may mount the small file system';
    console.log(`skipped: ${note}`);
    return void skip(note);
  }
  rig = await createCrashFixture(mounted);
  const service = await rig.startReady();
  const call = await rig.login();
  const ids = await rig.deploy(call, testWorkflows(rig.upstream));
  const start = async (given: Call, name: string, where: string, body: object = {}): Promise<ApiResponse> => {
    const response = await given('POST', where, { body });
    const id = response.headers.get('x-weft-execution-id') ?? (response.body as { id?: string }).id;
    if (response.status < 300)
      rig!.promised({ t: 'execution', id: id!, workflow: ids.get(name)!, key: null, ended: false });
    return response;
  };
  for (let i = 0; i < 5; i++) {
    await start(call, 'waits in between', '/webhooks/crash/delay');
    await start(call, 'parallel calls that fail at first', '/webhooks/crash/parallel');
  }

  const filler = path.join(mounted, 'filler');
  expect(fill(filler)).toBeGreaterThan(0);
  // The log file may still have free space inside: accepted writes must be kept.
  let refused: ApiResponse | null = null;
  for (let i = 0; i < 2_000 && refused === null; i++) {
    const response = await start(call, 'waits in between', '/webhooks/crash/delay');
    if (response.status !== 200) refused = response;
  }
  expect([refused?.status, refused && readErrorCode(refused)]).toEqual([500, 'STORAGE_FULL']);
  // Fills the space that was freed since.
  const unready = await waitUntil(
    () => {
      fill(filler);
      return call('GET', '/health/ready');
    },
    ({ status }) => status !== 200,
    15_000,
  );
  expect([unready.status, unready.body]).toEqual([503, { status: 'degraded' }]);
  expect((await call('GET', '/health')).body).toMatchObject({ status: 'degraded' });
  const workflow = { name: 'disk full', definition: { nodes: [], connections: [] } };
  const byHand = `/workflows/${ids.get('by hand')!}`;
  const order = 'x'.repeat(20_000);
  const description = 'x'.repeat(9_000);
  /**
   * A log without writes for a second is truncated, which frees space: that is filled too, and the request is
   * repeated.
   */
  const refusedAtLast = async (ask: () => Promise<ApiResponse>): Promise<ApiResponse> => {
    for (let i = 0; ; i++) {
      const response = await ask();
      if (response.status >= 300 || i === 20) return response;
      fill(filler);
    }
  };
  const attempts = await Promise.all(
    [
      () => call('POST', '/workflows', { body: { ...workflow, description } }),
      () => start(call, 'responds from a respond node', '/webhooks/crash/respond', { order }),
      () => start(call, 'by hand', `${byHand}/execute`, { input: { order } }),
      () => call('PUT', byHand, { body: { description } }),
    ].map(refusedAtLast),
  );
  expect(attempts.map((response) => [response.status, readErrorCode(response)])).toEqual(
    attempts.map(() => [500, 'STORAGE_FULL']),
  );
  for (let i = 0; i < 5; i++) {
    const list = await call('GET', '/executions?limit=100');
    expect(list.status).toBe(200);
    const { executions } = list.body as { executions: { id: string }[] };
    expect((await call('GET', `/executions/${executions[0]!.id}`)).status).toBe(200);
    expect((await call('GET', '/workflows')).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  expect(service.isOver(), service.output()).toBe(false);

  rmSync(filler);
  const freed = performance.now();
  await waitUntil(
    () => start(call, 'responds from a respond node', '/webhooks/crash/respond'),
    (response) => response.status === 200,
    15_000,
  );
  console.log(`full disk: accepted writes again after ${Math.round(performance.now() - freed)} ms`);
  await waitUntil(
    () => call('GET', '/health/ready'),
    ({ status }) => status === 200,
    15_000,
  );
  await rig.settled(call, 15_000);
  service.kill('SIGTERM');
  expect((await service.exited).code, service.output()).toBe(0);
  const { violations, seen } = rig.check();
  expect(violations).toEqual([]);
  expect(seen.takenOver).toBe(0);
});
