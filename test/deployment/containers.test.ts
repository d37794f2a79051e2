import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { settings } from '../../src/config/settings.ts';

/* Checks the container files without a container engine: their structure, and the names in them. */

const root = path.resolve(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

type Service = {
  image: string;
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  deploy?: { replicas: number };
  volumes?: string[];
  networks?: string[];
  ports?: string[];
  command?: string[];
};

test('compose.yaml: PostgreSQL, Redis, an api and two workers, with settings that exist', () => {
  const file = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, Service>;
    volumes: Record<string, unknown>;
    networks: Record<string, { internal?: boolean }>;
  };
  const { api, worker, postgres, redis } = file.services as Record<
    'api' | 'worker' | 'postgres' | 'redis',
    Service
  >;
  expect(Object.keys(file.services)).toEqual(['api', 'worker', 'postgres', 'redis']);
  expect([
    api.environment?.['WEFT_ROLE'],
    worker.environment?.['WEFT_ROLE'],
    worker.deploy?.replicas,
  ]).toEqual(['api', 'worker', 2]);
  for (const { environment = {}, depends_on: needs = {} } of [api, worker]) {
    const unknown = Object.keys(environment).filter((name) => !Object.hasOwn(settings, name));
    expect(unknown, 'Change compose.yaml').toEqual([]);
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'WEFT_SECRET_KEY', 'WEFT_PUBLIC_URL'])
      expect(environment[name], name).toBeTruthy();
    for (const [name, { condition }] of Object.entries(needs)) {
      expect(condition).toBe('service_healthy');
      expect(file.services[name]?.healthcheck?.test[0]).toBe('CMD');
    }
    // The file contains no password.
    expect(environment['DATABASE_URL']).toContain('${POSTGRES_PASSWORD:?');
    expect(environment['WEFT_SECRET_KEY']).toMatch(/^\$\{WEFT_SECRET_KEY:\?/);
  }
  expect(api.environment).toMatchObject({
    REDIS_URL: expect.stringContaining('${REDIS_PASSWORD:?'),
    WEFT_METRICS_TOKEN: expect.stringMatching(/^\$\{WEFT_METRICS_TOKEN:\?/),
  });
  expect(redis.command?.at(-1)).toContain('--requirepass "$$REDIS_PASSWORD"');
  expect([postgres.networks, redis.networks]).toEqual([['database'], ['wakeups']]);
  expect(Object.values(file.networks).every(({ internal }) => internal === true)).toBe(true);
  for (const { networks } of [api, worker]) expect(networks).toEqual(['default', 'database', 'wakeups']);
  expect(api.ports).toEqual(['${WEFT_BIND:-127.0.0.1}:${WEFT_PORT:-8080}:8080']);
  const named = Object.values(file.services).flatMap(({ volumes = [] }) =>
    volumes.map((volume) => volume.split(':')[0]!).filter((name) => !name.startsWith('/')),
  );
  expect(Object.keys(file.volumes).toSorted()).toEqual(named.toSorted());
  expect([postgres.image, redis.image].every((image) => /:\d+/.test(image))).toBe(true);
});

test('the Dockerfile ends with a user other than root, a health check, and the built command', () => {
  const lines = read('Dockerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const known =
    /^(FROM|LABEL|ENV|WORKDIR|COPY|RUN|USER|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD) /;
  expect(lines.filter((line) => !known.test(line))).toEqual([]);
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
  expect(last[0]).toMatch(/^FROM node:24-\w+-slim$/);
  expect(last.findLast((line) => line.startsWith('USER '))).toBe('USER node');
  expect(last.some((line) => line.startsWith('HEALTHCHECK ') && line.includes('/v1/health/live'))).toBe(true);
  const entry = JSON.parse(last.find((line) => line.startsWith('ENTRYPOINT '))!.slice(11)) as string[];
  expect(entry.at(-1)).toBe('dist/weft.js');
  expect(last.at(-1)).toBe('CMD ["start"]');
  // Not part of the build context: other builds, installed dependencies, and data of a running service.
  const ignored = read('.dockerignore').split('\n');
  for (const name of ['node_modules', 'dist', '.git', '.weft']) expect(ignored).toContain(name);
  expect(existsSync(path.join(root, 'package-lock.json'))).toBe(true);
});
