import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, expect, test } from 'vitest';
import { caller, type Call } from '../support/service.ts';
import type { AcknowledgedRequest } from './support/client-record.ts';
import { endChildren } from './support/children.ts';
import { readTrace, traceDisk, type Step } from './support/disk-trace.ts';
import { checkInvariants } from './support/invariants.ts';
import { createCrashFixture, type CrashFixture } from './support/harness.ts';
import { runScenario } from './support/scenario.ts';
import { chooseSeed, readNumber, createSeededRandom } from '../support/seeded-random.ts';
import { findStraceOrSkip } from './support/strace.ts';
import { readStored } from './support/read-database.ts';
import { SimulatedDisk } from './support/power-loss-disk.ts';
import type { UpstreamCall } from './support/upstream-record.ts';
import { testWorkflows } from './support/workflows.ts';

/*
 * Power loss. A run is recorded with every write, sync and response; then disks are built as a power loss at
 * some moment may leave them: synced data is present, and any part of the rest. Each must open, be
 * consistent, and contain everything that had been acknowledged or sent by that moment. POWER_IMAGES is the
 * number of disks (1,000 in the long version); the service is started on POWER_STARTS of them.
 */
const images = readNumber('POWER_IMAGES', 60);
const starts = readNumber('POWER_STARTS', 2);
let rig: CrashFixture | null = null;

afterEach(async () => {
  await endChildren();
  rig?.remove();
  rig = null;
});

const order = (step: Step): number => (step.kind === 'sync' ? step.ended : step.began);

test(
  'after a power loss at any moment, everything acknowledged is on the disk',
  { timeout: 120_000 + images * 1_000 + starts * 30_000 },
  async ({ skip }) => {
    findStraceOrSkip(skip);
    const seed = chooseSeed('CRASH_SEED');
    const random = createSeededRandom(seed).next;
    rig = await createCrashFixture();
    let service = await rig.startReady();
    const ids = await rig.deploy(await rig.login(), testWorkflows(rig.upstream));
    service.kill('SIGTERM');
    await service.exited;
    const before = listFiles(rig.dataDir);
    const log = path.join(rig.folder, 'disk.log');
    service = await rig.startReady(traceDisk(log));
    const large = caller(rig.url);
    for (const round of ['first', 'second']) {
      // Started before the others, so that it is alone at first.
      expect(await runScenario(rig, ids, `${round} 0`)).toBe('done');
      const runs = [1, 2, 3].map((n) => runScenario(rig!, ids, `${round} ${n}`));
      // Too large for a row, so that it becomes a file.
      const body = { order: `${round} ${'x'.repeat(400_000)}` };
      const response = await large('POST', '/webhooks/crash/respond', { body });
      expect(response.status).toBe(200);
      expect(await Promise.all(runs)).toEqual(['done', 'done', 'done']);
      // Idle long enough for the log to be checkpointed and truncated.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
    }
    service.kill('SIGTERM');
    expect((await service.exited).code, service.output()).toBe(0);
    const acknowledged = rig.acknowledged();
    const calls = rig.calls();
    expect(checkInvariants(readStored(rig.dataDir), acknowledged, calls).violations).toEqual([]);

    const steps = readTrace(readFileSync(log, 'utf8'), rig.dataDir).toSorted((a, b) => order(a) - order(b));
    const promises = listPromises(acknowledged, steps);
    const named = listNames(steps);
    const firstAnswer = promises[0]!.at;
    const later = steps.filter((step) => order(step) >= firstAnswer);
    const input = later.filter((step) => step.kind === 'said');
    // A late write is most visible right after a response.
    const moments = Array.from({ length: images }, (_, i) => {
      const from = i % 2 === 0 ? later : input;
      return order(from[Math.floor(random() * from.length)]!);
    }).toSorted((a, b) => a - b);
    const started = new Set(
      Array.from({ length: starts }, (_, i) => Math.floor(((i + 0.5) * images) / starts)),
    );

    const disk = new SimulatedDisk(before);
    const violations: string[] = [];
    const folder = path.join(rig.folder, 'image');
    let next = 0;
    let held = 0;
    let isUnsure = false;
    let unsure = 0;
    for (const [i, moment] of moments.entries()) {
      for (; next < steps.length && order(steps[next]!) <= moment; next++) {
        disk.take(steps[next]!);
        if (steps[next]!.kind !== 'said') isUnsure = steps[next]!.kind !== 'sync';
      }
      if (isUnsure) unsure++;
      writeImage(disk.image(random), rig.dataDir, folder, random);
      const due = promises.filter(({ at }) => at <= moment);
      held += due.length;
      const where = `disk ${i} of seed ${seed}`;
      const about = named.filter(({ at }) => at <= moment);
      for (const violation of missing(folder, due, about)) violations.push(`${where}: ${violation}`);
      if (started.has(i)) {
        rig.renew(folder);
        service = await rig.startReady();
        const call = await rig.login();
        await stopAll(call, ids.get('to be stopped')!);
        await rig.settled(call, 30_000);
        service.kill('SIGTERM');
        expect((await service.exited).code, service.output()).toBe(0);
        const promised = due.map(({ promise }) => promise);
        const found = checkInvariants(readStored(rig.dataDir), promised, [
          ...listSent(calls, steps, moment),
          ...rig.calls(),
        ]);
        for (const violation of found.violations) violations.push(`${where}, started: ${violation}`);
      }
      rmSync(folder, { recursive: true });
    }
    console.log(`power loss: ${images} disks, ${unsure} amid writes, ${held} promises looked up`);
    expect(violations.slice(0, 20)).toEqual([]);
    expect(unsure).toBeGreaterThan(0);
    expect(steps.some((step) => step.kind === 'move')).toBe(true);
    expect(held).toBeGreaterThan(images);
  },
);

type Promised = { at: number; promise: AcknowledgedRequest };
/** An execution that was named to a client or service; `node`: in a call of this node. */
type Named = { at: number; execution: string; node: string | null };

/** The position of each acknowledgment in the trace. */
function listPromises(acknowledged: readonly AcknowledgedRequest[], steps: readonly Step[]): Promised[] {
  const responses = steps.flatMap((step) =>
    step.kind === 'said' && step.text.startsWith('HTTP/1.1 2') ? [{ at: step.began, text: step.text }] : [],
  );
  const found = (...texts: string[]): number => {
    const response = responses.find(({ text }) => texts.every((part) => text.includes(part)));
    if (response === undefined) throw new Error(`No response in the trace contains ${texts.join(' and ')}.`);
    return response.at;
  };
  return acknowledged.flatMap((promise): Promised[] => {
    if (promise.t === 'execution') {
      const byHand = responses.some(
        ({ text }) => text.startsWith('HTTP/1.1 201') && text.includes(promise.id),
      );
      return [
        {
          at: byHand ? found('HTTP/1.1 201', promise.id) : found(`x-weft-execution-id: ${promise.id}`),
          promise,
        },
      ];
    }
    if (promise.t === 'stopped') return [{ at: found(promise.id, '"status":"stopped"'), promise }];
    if (promise.t === 'workflow') return [{ at: found(promise.id, `"version":${promise.version}`), promise }];
    return [];
  });
}

/** Every response or call that names an execution. */
function listNames(steps: readonly Step[]): Named[] {
  return steps.flatMap((step) => {
    if (step.kind !== 'said') return [];
    const node = /^POST \/\w+\/(\w+) /.exec(step.text)?.[1] ?? null;
    const ids = new Set([...step.text.matchAll(/\bex_[0-9a-z]+/g)].map(([id]) => id));
    return [...ids].map((execution) => ({ at: step.began, execution, node }));
  });
}

/** Everything that is missing on a disk on which the service is not started. */
function missing(disk: string, due: readonly Promised[], named: readonly Named[]): string[] {
  const folder = `${disk}-read`;
  rmSync(folder, { recursive: true, force: true });
  cpSync(disk, folder, { recursive: true });
  const stored = readStored(folder);
  if (stored.integrity !== 'ok') return [`the database: ${stored.integrity}`];
  const wrong: string[] = [];
  const byId = new Map(stored.executions.map((one) => [one.id, one]));
  for (const { promise } of due) {
    if (promise.t === 'execution' && promise.ended && byId.get(promise.id)?.status !== 'completed')
      wrong.push(`${promise.id} was answered as completed and is ${byId.get(promise.id)?.status}`);
    if (promise.t === 'stopped' && byId.get(promise.id)?.status !== 'stopped')
      wrong.push(`${promise.id} was answered as stopped and is ${byId.get(promise.id)?.status}`);
    if (promise.t === 'workflow' && (stored.workflows.get(promise.id)?.version ?? 0) < promise.version)
      wrong.push(`version ${promise.version} of ${promise.id} was answered and is not there`);
  }
  for (const { execution, node } of named) {
    const events = byId.get(execution)?.events;
    if (events === undefined) wrong.push(`${execution} was named and is not there`);
    else if (node !== null && !events.some((event) => event.e === 'start' && event.p.endsWith(node)))
      wrong.push(`${node} of ${execution} called out and has no start`);
  }
  for (const [key, n] of stored.counted)
    if (stored.kept.get(key) !== n) wrong.push(`the total ${key} is ${stored.kept.get(key)}, there are ${n}`);
  for (const [what, n] of Object.entries(stored.stray))
    if (n !== 0) wrong.push(`${n} rows of ${what} are stray`);
  return [...wrong, ...missingContents(folder)];
}

/** A row never refers to a missing or incomplete content. */
function missingContents(folder: string): string[] {
  const db = new Database(path.join(folder, 'weft.db'), { readonly: true });
  try {
    const hashes = db.prepare<[], string>('SELECT DISTINCT hash FROM blobs').pluck().all();
    const isWhole = (hash: string): boolean => {
      const file = path.join(folder, 'files', hash.slice(0, 2), hash.slice(2));
      return existsSync(file) && createHash('sha256').update(readFileSync(file)).digest('hex') === hash;
    };
    return hashes
      .filter((hash) => !isWhole(hash))
      .map((hash) => `the content ${hash} is referred to, and not whole`);
  } finally {
    db.close();
  }
}

/** The part of the upstream's record that had been sent by then. */
function listSent(calls: readonly UpstreamCall[], steps: readonly Step[], moment: number): UpstreamCall[] {
  const sent = new Map<string, number>();
  for (const step of steps) {
    const key =
      step.kind === 'said' && step.began <= moment
        ? /^idempotency-key: (\S+)/im.exec(step.text)?.[1]
        : undefined;
    if (key !== undefined && step.kind === 'said' && step.text.startsWith('POST '))
      sent.set(key, (sent.get(key) ?? 0) + 1);
  }
  return calls.filter((call) => call.earlier < (sent.get(call.key) ?? 0));
}

/** Stops the executions of a workflow that waits for longer than the test. */
async function stopAll(call: Call, workflow: string): Promise<void> {
  const { body } = await call('GET', `/executions?workflow_id=${workflow}&limit=100`);
  for (const { id } of (body as { executions: { id: string }[] }).executions)
    await call('POST', `/executions/${id}/stop`);
}

function listFiles(folder: string): Map<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map((entry) => path.join(entry.parentPath, entry.name)).map((name) => [name, readFileSync(name)]),
  );
}

/**
 * Writes the disk's files below `from` to `to`; the index of the log is in memory and may have any content.
 */
function writeImage(
  image: ReadonlyMap<string, Buffer>,
  from: string,
  to: string,
  random: () => number,
): void {
  mkdirSync(path.join(to, 'files', 'new'), { recursive: true });
  for (const [name, bytes] of image) {
    const target = path.join(to, path.relative(from, name));
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, bytes, { mode: 0o600 });
  }
  if (random() < 0.5)
    writeFileSync(
      path.join(to, 'weft.db-shm'),
      Buffer.from(Array.from({ length: 32_768 }, () => Math.floor(random() * 256))),
    );
}
