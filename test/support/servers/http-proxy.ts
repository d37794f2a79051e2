import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

export type ProxyLine = { method: string; target: string; host?: string; given?: string };
export type ProxyProcess = { port: number; url: string; readonly lines: ProxyLine[]; close(): Promise<void> };

/** A forward proxy on 127.0.0.1 as a separate process. Its program describes the options. */
export async function startProxy(credentials = '', behavior = 'tunnel'): Promise<ProxyProcess> {
  const program = path.join(import.meta.dirname, 'http-proxy-program.ts');
  const child = spawn(process.execPath, [program, credentials, behavior], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines: ProxyLine[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    void exited.then(() => reject(new Error('The proxy ended')));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const read = JSON.parse(line) as ProxyLine | { port: number };
      if ('port' in read) resolve(read.port);
      else lines.push(read);
    });
  });
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    lines,
    close() {
      child.kill('SIGKILL');
      return exited;
    },
  };
}
