import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { adminEmail, adminPassword, caller, waitUntil, type Call } from '../../support/service.ts';
import { readyLine, startChild, startService, startUpstream, type Child } from './children.ts';
import { freePort } from '../../support/servers/free-port.ts';
import type { AcknowledgedRequest } from './client-record.ts';
import { checkInvariants, type InvariantReport } from './invariants.ts';
import { appendRecord, readRecords } from './record-file.ts';
import { countCalls, countMaxCalls } from './strace.ts';
import { readStored } from './read-database.ts';
import type { UpstreamCall } from './upstream-record.ts';
import type { TestWorkflow } from './workflows.ts';

/** A data folder, an upstream and clients for a service that is killed and restarted. */
export type CrashFixture = {
  readonly folder: string;
  readonly dataDir: string;
  readonly url: string;
  readonly upstream: string;
  /** `wrap` is a command before the program. Does not wait until the service is ready. */
  start(wrap?: string[]): Child;
  /** Starts the service, and waits until it is ready. */
  startReady(wrap?: string[]): Promise<Child>;
  login(): Promise<Call>;
  /** Saves and activates the workflows; the clients read them. */
  deploy(call: Call, workflows: readonly TestWorkflow[]): Promise<Map<string, string>>;
  startClients(seed: number, lanes: number): Promise<Child>;
  /** Waits until no execution is queued, running or waiting. */
  settled(call: Call, ms: number): Promise<void>;
  acknowledged(): AcknowledgedRequest[];
  calls(): UpstreamCall[];
  /** Records an acknowledgment that this process received as a client. */
  promised(one: AcknowledgedRequest): void;
  /**
   * Starts the service once and kills it when it is ready; returns the most calls of these that one of its
   * threads made by then.
   */
  callsToStart(syscalls: string): Promise<number>;
  /** Replaces the data folder with a copy of this folder, and clears the records. */
  renew(from: string | null): void;
  /** For a service that is not running. */
  check(): InvariantReport;
  remove(): void;
};

export async function createCrashFixture(dataDir?: string): Promise<CrashFixture> {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-crash-'));
  const data = dataDir ?? path.join(folder, 'data');
  if (dataDir === undefined) mkdirSync(data);
  const upstreamFile = path.join(folder, 'upstream.jsonl');
  const clientFile = path.join(folder, 'client.jsonl');
  const workflowsFile = path.join(folder, 'workflows.json');
  const upstream = await startUpstream(upstreamFile);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/v1`;
  const start = (wrap: string[] = []): Child => startService({ dataDir: data, port, wrap });
  let before = { acknowledged: 0, calls: 0 };
  const acknowledged = (): AcknowledgedRequest[] =>
    readRecords<AcknowledgedRequest>(clientFile).slice(before.acknowledged);
  const calls = (): UpstreamCall[] => readRecords<UpstreamCall>(upstreamFile).slice(before.calls);

  return {
    folder,
    dataDir: data,
    url,
    upstream: upstream.url,
    start,
    async startReady(wrap) {
      const child = start(wrap);
      await child.printed(readyLine);
      return child;
    },
    async login() {
      const response = await caller(url)('POST', '/auth/login', {
        body: { email: adminEmail, password: adminPassword },
      });
      if (response.status !== 200) throw new Error(`The login failed: ${response.text}`);
      return caller(url, { authorization: `Bearer ${(response.body as { token: string }).token}` });
    },
    async deploy(call, workflows) {
      const ids = new Map<string, string>();
      for (const { name, definition } of workflows) {
        const response = await call('POST', '/workflows', { body: { name, definition, status: 'active' } });
        if (response.status !== 201) throw new Error(`"${name}" was not saved: ${response.text}`);
        ids.set(name, (response.body as { id: string }).id);
      }
      const known = workflows.map(({ name, endpoint, answers }) => ({
        id: ids.get(name),
        name,
        endpoint,
        answers,
      }));
      writeFileSync(workflowsFile, JSON.stringify(known));
      return ids;
    },
    async startClients(seed, lanes) {
      const program = path.join(import.meta.dirname, 'client-program.ts');
      const child = startChild(process.execPath, [
        program,
        url,
        clientFile,
        workflowsFile,
        String(seed),
        String(lanes),
      ]);
      await child.printed(/logged in/);
      return child;
    },
    async settled(call, ms) {
      // An execution may change between two of these statuses between two requests; two empty results in a
      // row are required.
      let quiet = 0;
      const open = async (status: string): Promise<number> => {
        const response = await call('GET', `/executions?status=${status}&limit=1`);
        return response.status === 200
          ? (response.body as { pagination: { total: number } }).pagination.total
          : 1;
      };
      await waitUntil(
        async () => {
          const counts = await Promise.all(['queued', 'running', 'waiting'].map(open));
          quiet = counts.every((n) => n === 0) ? quiet + 1 : 0;
          return counts;
        },
        () => quiet === 2,
        ms,
      );
    },
    acknowledged,
    calls,
    async callsToStart(syscalls) {
      const log = path.join(folder, 'start.log');
      const service = start(countCalls(syscalls, log));
      await service.printed(readyLine);
      service.kill();
      await service.exited;
      return Math.max(...countMaxCalls(readFileSync(log, 'utf8')).values());
    },
    promised: (one) => appendRecord(clientFile, one),
    renew(from) {
      rmSync(data, { recursive: true, force: true });
      if (from === null) mkdirSync(data);
      else cpSync(from, data, { recursive: true });
      before = {
        acknowledged: readRecords(clientFile).length,
        calls: readRecords(upstreamFile).length,
      };
    },
    check: () => checkInvariants(readStored(data), acknowledged(), calls()),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
