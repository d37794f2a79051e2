// package-lock.json must name the packages of a native tool for every platform, also those that were
// unavailable when the lock was written. npm silently omits these, and `npm ci` then rejects the lock. Run
// this after each `npm install`: it adds the missing packages, with the platform from the package's name, so
// that npm skips them on other platforms. They have no integrity hash, because the packages are not
// available.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const file = path.resolve(import.meta.dirname, '..', 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));

const PLATFORMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const CPUS = ['arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64'];

function parsePlatform(name) {
  const words = name.split('/').at(-1).split('-');
  const os = PLATFORMS.find((platform) => words.includes(platform));
  const cpu = CPUS.find((candidate) => words.includes(candidate));
  if (!os || !cpu)
    throw new Error(`${name}: the name contains no platform; add it to package-lock.json manually`);
  const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : undefined;
  return { cpu: [cpu], ...(libc && { libc }), os: [os] };
}

let added = 0;
for (const [parent, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (lock.packages[`node_modules/${name}`] || lock.packages[`${parent}/node_modules/${name}`]) continue;
    const { cpu, libc, os } = parsePlatform(name);
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu,
      ...(entry.dev && { dev: true }),
      ...(libc && { libc }),
      optional: true,
      os,
    };
    added += 1;
  }
}

const [root, ...others] = Object.keys(lock.packages).sort((a, b) => a.localeCompare(b, 'en'));
lock.packages = Object.fromEntries([root, ...others].map((name) => [name, lock.packages[name]]));
if (added > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`package-lock.json: ${added} packages of other platforms added`);
