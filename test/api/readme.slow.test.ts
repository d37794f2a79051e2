import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { freePort } from '../support/servers/free-port.ts';
import { createTempFolder } from '../support/service.ts';

const root = path.resolve(import.meta.dirname, '../..');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');

describe('the walkthrough in the README', () => {
  test('runs exactly as printed', async () => {
    const folder = createTempFolder();
    try {
      const [port, shop] = [await freePort(), await freePort()];
      const blocks = [...readme.matchAll(/^```bash walk\n(.*?)^```$/gms)].map((match) => match[1]!);
      expect(blocks.length).toBeGreaterThanOrEqual(6);
      // Nothing else is changed: tests run beside each other, so ports and data folder are their own.
      const script = replaced(blocks.join('\n'), {
        '127.0.0.1:8080': `127.0.0.1:${port}`,
        '127.0.0.1:9090': `127.0.0.1:${shop}`,
        '.listen(9090,': `.listen(${shop},`,
        '/tmp/weft-demo': folder.path,
      });
      const { code, printed } = await runBash(script, {
        PORT: String(port),
      });
      expect(code, printed).toBe(0);

      expect(printed).toMatch(/created wf_\w+/);
      expect(printed.match(/is ready at/g), printed).toHaveLength(2);
      expect(printed.match(/event: end\ndata: \{"status":"completed"\}/g), printed).toHaveLength(2);
      const calls = [...printed.matchAll(/the shop sees (.*)/g)].map((match) => match[1]);
      expect(calls, printed).toEqual([
        'GET /carts/one',
        'POST /reminders',
        'GET /carts/two',
        'POST /reminders',
      ]);
      // The webhook was accepted by the process that was killed, and its run ended in the one after it.
      const accepted = printed.indexOf('accepted ex_');
      const again = printed.lastIndexOf('is ready at');
      const ended = printed.lastIndexOf('event: end');
      expect([accepted > 0, again > accepted, ended > again], printed).toEqual([true, true, true]);
      expect(printed.slice(ended)).toContain('"status":"completed"');
      expect(printed).not.toContain('"error":{');
    } finally {
      folder.remove();
    }
  });
});

test('the command-line section starts the service again after the walkthrough stopped it', () => {
  const block = /^## Command line\n.*?^```sh\n(.*?)^```$/ms.exec(readme)![1]!;
  const [start, wait, ...commands] = block.trimEnd().split('\n');
  expect(start).toBe('npm start &');
  expect(wait).toContain('/v1/health/ready');
  expect(commands.join('\n')).toContain('weft login');
});

function replaced(text: string, by: Record<string, string>): string {
  let result = text;
  for (const [from, to] of Object.entries(by)) {
    expect(result).toContain(from);
    result = result.replaceAll(from, to);
  }
  return result;
}

/** Runs the script up to the first failing command, then ends everything it started. */
async function runBash(
  script: string,
  more: Record<string, string>,
): Promise<{ code: number | null; printed: string }> {
  const own = /^(WEFT_|PORT$|HOST$|DATABASE_URL$|REDIS_URL$|NODE_OPTIONS$|VITEST|NODE_ENV$)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
  const child = spawn('bash', ['-eu', '-c', script], { cwd: root, env: { ...env, ...more }, detached: true });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const endAll = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // The whole group has ended already.
    }
  };
  const timer = setTimeout(endAll, 50_000);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
    return { code, printed };
  } finally {
    clearTimeout(timer);
    endAll();
  }
}
