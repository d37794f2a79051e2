import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { testCertificate, testKey } from '../support/servers/tls-certificates.ts';
import { waitUntil } from '../support/service.ts';

const published = path.resolve(import.meta.dirname, '../../deploy/nginx/weft.conf');

/** Null when nginx is not installed (apt-get install nginx). */
export const nginxProgram: string | null =
  ['/usr/sbin/nginx', 'nginx'].find((file) => spawnSync(file, ['-v']).status === 0) ?? null;

/**
 * The differences between the published file and one that a test can start: names, ports and certificates.
 */
export type NginxSettings = {
  folder: string;
  host: string;
  httpPort: number;
  httpsPort: number;
  upstream: number;
};

/**
 * Writes the published configuration with the test's names and ports, inside the blocks of Debian's
 * nginx.conf.
 */
export function writeNginxConfig({ folder, host, httpPort, httpsPort, upstream }: NginxSettings): string {
  mkdirSync(path.join(folder, 'temp'), { recursive: true });
  writeFileSync(path.join(folder, 'fullchain.pem'), testCertificate);
  writeFileSync(path.join(folder, 'privkey.pem'), testKey);
  const site = readFileSync(published, 'utf8')
    .replaceAll('weft.example.com', host)
    .replaceAll(/^ +listen \[::\].*\n/gm, '')
    .replace('listen 80;', `listen 127.0.0.1:${httpPort};`)
    .replace('listen 443 ', `listen 127.0.0.1:${httpsPort} `)
    .replaceAll('/etc/ssl/weft/', `${folder}/`)
    .replace('server 127.0.0.1:8080;', `server 127.0.0.1:${upstream};`);
  writeFileSync(path.join(folder, 'weft.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `  ${name}_temp_path ${folder}/temp/${name};`)
    .join('\n');
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off;\nmaster_process off;\npid ${folder}/nginx.pid;\nerror_log stderr warn;\nevents {}\nhttp {\n  access_log off;\n${temporary}\n  include ${folder}/weft.conf;\n}\n`,
  );
  return file;
}

export async function startNginx(settings: NginxSettings): Promise<{ stop(): Promise<void> }> {
  const file = writeNginxConfig(settings);
  const child = spawn(nginxProgram ?? 'nginx', ['-e', 'stderr', '-c', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const exited = once(child, 'exit');
  await waitUntil(
    async () => {
      if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}: ${printed}`);
      return accepts(settings.httpsPort);
    },
    (isOpen) => isOpen,
  );
  return {
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
