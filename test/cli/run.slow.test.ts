import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type Client } from '../../sdk/src/index.ts';
import {
  adminEmail,
  adminPassword,
  runWeft,
  spawnService,
  createTempFolder,
  waitUntil,
  type SpawnedService,
} from '../support/service.ts';
import { createCallingWorkflow, greeting, longWait, manual } from '../api/definitions.ts';
import { findWeftProgram } from '../support/program.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startUpstream } from '../support/upstream.ts';
import { useWeftCommand } from './weft-command.ts';

describe('run', () => {
  const one = useWeftCommand();
  /** How many connections follow executions: by WebSocket, or by the event stream of a log. */
  const followers = async (): Promise<number> => {
    const metrics = await (await fetch(new URL('/metrics', one.url))).text();
    const found = metrics.matchAll(/^weft_connections\{transport="(?:websocket|event_stream)"\} (\d+)/gm);
    return [...found].reduce((total, [, count]) => total + Number(count), 0);
  };
  beforeAll(async () => {
    await one.client.workflows.create({ name: 'Greet', definition: greeting });
    await one.client.workflows.create({ name: 'Long', definition: longWait });
  });

  test('starts an execution, and prints its id', async () => {
    const { code, stdout, stderr } = await one.weft(['run', 'Greet', '-i', '{"name":"Ada"}']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^ex_\w+\n$/)]);
    expect(stderr).toContain(`weft logs ${stdout.trim()} --follow`);
  });

  test('--wait: the output, or 1 for a failure', async () => {
    const done = await one.weft(['run', 'Greet', '-i', '-', '--wait'], { input: '{"name":"Ada"}' });
    expect([done.code, JSON.parse(done.stdout)]).toEqual([0, { text: 'Dear Ada' }]);
    const failed = await one.weft(['run', 'Greet', '--wait']);
    expect([failed.code, failed.stdout, failed.stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/ex_\w+ failed after .*: greet: .*value is missing/),
    ]);
    const json = await one.weft(['run', 'Greet', '--wait', '--json']);
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
      1,
      { status: 'failed', error: { node_id: 'greet' } },
    ]);
  });

  test('--pins and --pin-ports: outputs that are used instead of running the node', async () => {
    const condition = { field: 'n', operator: 'greater_than', value: 5 };
    await one.client.workflows.create({
      name: 'Check',
      definition: {
        nodes: [
          { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
          { id: 'check', type: 'condition', config: { condition } },
          { id: 'small', type: 'set', config: { fields: { size: 'small' } } },
        ],
        connections: [
          { from: 'start', to: 'check' },
          { from: 'check', sourcePort: 'false', to: 'small' },
        ],
      },
    });
    const pins = ['run', 'Check', '--wait', '--pins'];
    const pinned = await one.weft([...pins, '-', '--pin-ports', '{"check":["false"]}'], {
      input: '{"check":{"n":9}}',
    });
    expect([pinned.code, JSON.parse(pinned.stdout)]).toEqual([0, { n: 9, size: 'small' }]);
    const first = await one.weft([...pins, '{"check":{"n":1}}']);
    expect([first.code, JSON.parse(first.stdout)]).toEqual([0, { n: 1 }]);
    const wrong = await one.weft([...pins, '{"check":1}', '--pin-ports', '{"check":["maybe"]}']);
    expect([wrong.code, wrong.stderr]).toEqual([5, expect.stringContaining('pin_ports.check')]);
    const twice = await one.weft([...pins, '-', '--input', '-'], { input: '{}' });
    expect([twice.code, twice.stderr]).toEqual([
      2,
      expect.stringContaining('Only one of --input, --definition, --pins'),
    ]);
  });

  test('--follow: a line for each node, then the end', async () => {
    const done = await one.weft(['run', 'Greet', '-i', '{"name":"Ada"}', '--follow']);
    expect(done.code).toBe(0);
    expect(done.stdout).toMatch(
      /^ex_\w+\n✓ start {2}\d+ ms\n✓ greet {2}\d+ ms\nex_\w+ completed after \d+ ms\n\{\n {2}"text": "Dear Ada"\n\}\n$/,
    );
    const failed = await one.weft(['run', 'Greet', '--follow']);
    expect([failed.code, failed.stdout]).toEqual([
      1,
      expect.stringMatching(/✗ greet {2}.*value is missing.*\nex_\w+ failed/),
    ]);
    const json = await one.weft(['run', 'Greet', '-i', '{"name":"Ada"}', '--follow', '--json']);
    const lines = json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { message?: string; status?: string });
    expect(lines[0]).toMatchObject({ message: expect.any(String) as string, level: 'info' });
    expect(lines.at(-1)).toMatchObject({ status: 'completed', output: { text: 'Dear Ada' } });
  });

  test('a try that failed is a line, too', async () => {
    let calls = 0;
    const upstream = await startUpstream(() => ({ status: ++calls < 3 ? 503 : 200, body: { a: 1 } }));
    const retryPolicy = {
      enabled: true,
      maxAttempts: 3,
      initialDelay: '10ms',
      maxDelay: '10ms',
      backoffMultiplier: 1,
      retryConditions: ['server_error'],
    };
    await one.client.workflows.create({
      name: 'Call',
      definition: createCallingWorkflow(upstream.url, { retryPolicy }),
    });
    const { code, stdout } = await one.weft(['run', 'Call', '--follow']);
    await upstream.close();
    expect(code, stdout).toBe(0);
    expect(stdout.match(/^! call {2}Attempt \d failed/gm)?.length).toBe(2);
  });

  test('the same key is the same execution', async () => {
    const args = ['run', 'Greet', '-i', '{"name":"Ada"}', '--idempotency-key', 'k1'];
    const first = await one.weft(args);
    expect((await one.weft(args)).stdout).toBe(first.stdout);
    expect((await one.weft([...args.slice(0, 3), '{"name":"Bob"}', ...args.slice(4)])).code).toBe(5);
  });

  test('--timeout and Ctrl-C stop waiting; the run continues', async () => {
    const late = await one.weft(['run', 'Long', '--wait', '--timeout', '200ms']);
    expect([late.code, late.stderr]).toEqual([
      8,
      expect.stringMatching(/weft: ex_\w+ has not ended within 200 ms and is still running/),
    ]);
    for (const how of ['--follow', '--wait']) {
      const controller = new AbortController();
      await waitUntil(followers, (count) => count === 0);
      const running = one.weft(['run', 'Long', how], { signal: controller.signal });
      await waitUntil(followers, (count) => count > 0);
      controller.abort();
      const { code, stderr } = await running;
      expect(code).toBe(130);
      const id = /Stopped following; (ex_\w+) is still running/.exec(stderr)![1]!;
      expect(stderr).toContain(`weft executions stop ${id}`);
      expect((await one.client.executions.get(id)).status).toBe('waiting');
      expect((await one.weft(['executions', 'stop', id])).stdout).toBe(`${id} is stopped.\n`);
    }
  });

  test('on a terminal a progress bar is shown below the lines, and removed at the end', async () => {
    const delay = { id: 'wait', type: 'delay', config: { duration: '500ms' } };
    const definition = { nodes: [manual, delay], connections: [{ from: 'start', to: 'wait' }] };
    await one.client.workflows.create({ name: 'Half', definition });
    const { code, stdout, stderr } = await one.weft(['run', 'Half', '--follow'], { isTyped: true });
    expect(code).toBe(0);
    expect(stderr).toContain('████████████░░░░░░░░░░░░  50 %  waiting');
    expect(stderr.endsWith('\r\u001B[K')).toBe(true);
    expect(stdout).not.toContain('░');
  });

  test('tables fit the terminal, and colors are only where they are wanted', async () => {
    await one.client.workflows.create({
      name: 'A name that is much too long for a narrow terminal, 長い名前',
    });
    const { stdout } = await one.weft(['workflows', 'list'], { columns: 100, hasColor: true });
    const lines = stripVTControlCharacters(stdout).trimEnd().split('\n');
    expect(stdout).toContain('\u001B[1m');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(stdout).toContain('…');
    const piped = await one.weft(['workflows', 'list']);
    expect(piped.stdout).toContain('much too long for a narrow terminal, 長い名前');
  });
});

/** Takes about two seconds, in two nodes. */
const slow = {
  nodes: [
    manual,
    { id: 'one', type: 'delay', config: { duration: '1s' } },
    { id: 'two', type: 'delay', config: { duration: '1s' } },
  ],
  connections: [
    { from: 'start', to: 'one' },
    { from: 'one', to: 'two' },
  ],
};

describe('the process', () => {
  const folder = createTempFolder();
  let service: SpawnedService;
  let port: string;
  let client: Client;
  let env: Record<string, string>;
  const running = new Set<ChildProcess>();

  beforeAll(async () => {
    port = String(await freePort());
    service = await spawnService({ dataDir: path.join(folder.path, 'data'), env: { PORT: port } });
    client = createClient({ baseUrl: service.url });
    await client.auth.login({ email: adminEmail, password: adminPassword });
    const { key } = await client.apiKeys.create({ name: 'x' });
    env = { WEFT_URL: service.url, WEFT_API_KEY: key, XDG_CONFIG_HOME: folder.path };
    await client.workflows.create({ name: 'Slow', definition: slow });
    await client.workflows.create({ name: 'Long', definition: longWait });
    await client.workflows.create({ name: 'Greet', definition: greeting });
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    if (service.child.exitCode === null) await service.kill9();
    folder.remove();
  });

  function start(args: string[]) {
    const child = spawn(process.execPath, [findWeftProgram(), ...args], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    const printed = { text: '' };
    child.stdout.on('data', (chunk: Buffer) => (printed.text += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (printed.text += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve)).finally(() =>
      running.delete(child),
    );
    const until = async (pattern: RegExp): Promise<void> => {
      const end = performance.now() + 30_000;
      while (!pattern.test(printed.text)) {
        if (performance.now() > end) throw new Error(`${pattern} was never printed: ${printed.text}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    return { child, printed, ended, until };
  }

  test('ends with the codes that scripts build on', async () => {
    const codes = await Promise.all([
      runWeft(['run', 'Greet', '--input', '{"name":"x"}', '--wait'], env),
      runWeft(['run', 'Greet', '--follow'], env),
      runWeft(['run'], env),
      runWeft(['whoami'], { ...env, WEFT_API_KEY: 'weft_wrong' }),
      runWeft(['workflows', 'get', 'None'], env),
      runWeft(['run', 'Greet', '--until', 'nowhere'], env),
      runWeft(['health', '--url', 'http://127.0.0.1:1'], env),
    ]);
    expect(codes.map(({ code }) => code)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test('Ctrl-C stops following, not the run', async () => {
    const { child, printed, ended, until } = start(['run', 'Long', '--follow']);
    await until(/✓ start/);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    const id = /Stopped following; (ex_\w+) is still running/.exec(printed.text)![1]!;
    expect((await client.executions.get(id)).status).toBe('waiting');
    await client.executions.stop(id);
  });

  test('a reader that goes away ends it without a word', async () => {
    const { child, printed, ended, until } = start(['run', 'Long', '--follow']);
    await until(/ex_\w+/);
    child.stdout.destroy();
    const id = /ex_\w+/.exec(printed.text)![0];
    await client.executions.stop(id);
    expect([await ended, printed.text]).toEqual([0, expect.not.stringContaining('Error')]);
  });

  test('follows through the end of the service, to the end of the run', async () => {
    const { printed, ended, until } = start(['run', 'Slow', '--follow']);
    await until(/✓ start/);
    await service.kill9();
    await new Promise((resolve) => setTimeout(resolve, 500));
    service = await spawnService({
      dataDir: path.join(folder.path, 'data'),
      env: { PORT: port },
    });
    expect(await ended, printed.text).toBe(0);
    expect(printed.text.match(/^✓ \w+/gm)).toEqual(['✓ start', '✓ one', '✓ two']);
    expect(printed.text).toMatch(/ex_\w+ completed/);
  });
});
