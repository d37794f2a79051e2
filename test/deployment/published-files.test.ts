import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as apps from 'kubernetes-models/apps/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { settings } from '../../src/config/settings.ts';
import { nginxProgram, writeNginxConfig } from './nginx.ts';

/* The files of deploy/, checked by the programs that read them. */

const root = path.resolve(import.meta.dirname, '../..');
const deploy = (name: string): string => path.join(root, 'deploy', name);
const isInstalled = (program: string): boolean => spawnSync(program, ['version']).error === undefined;

function run(program: string, args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000 });
  return { status, output: `${stdout}${stderr}` };
}

test.skipIf(nginxProgram === null)('nginx accepts nginx/weft.conf', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-nginx-'));
  const ports = { httpPort: 18_080, httpsPort: 18_443, upstream: 18_081 };
  const file = writeNginxConfig({ folder, host: 'weft.test', ...ports });
  const { status, output } = run(nginxProgram ?? 'nginx', ['-e', 'stderr', '-t', '-c', file]);
  rmSync(folder, { recursive: true });
  expect(output).not.toMatch(/warn|emerg/);
  expect(status, output).toBe(0);
});

test.skipIf(!isInstalled('caddy'))('Caddy accepts caddy/Caddyfile, formatted as it formats it', () => {
  const file = deploy('caddy/Caddyfile');
  const { status, output } = run('caddy', ['validate', '--adapter', 'caddyfile', '--config', file]);
  expect(status, output).toBe(0);
  expect(run('caddy', ['fmt', file]).output).toBe(readFileSync(file, 'utf8'));
});

test('traefik/weft.yaml has a router, a service and a transport that refer to each other', () => {
  type Traefik = {
    http: {
      routers: Record<string, { rule: string; service: string; entryPoints: string[]; tls: object }>;
      services: Record<string, { loadBalancer: { servers: { url: string }[]; serversTransport: string } }>;
      serversTransports: Record<string, object>;
    };
  };
  const { http } = parse(readFileSync(deploy('traefik/weft.yaml'), 'utf8')) as Traefik;
  expect(Object.keys(http)).toEqual(['routers', 'services', 'serversTransports']);
  for (const { rule, service } of Object.values(http.routers)) {
    expect(rule).toMatch(/^Host\(`[a-z.]+`\)$/);
    const balancer = http.services[service]?.loadBalancer;
    expect(balancer?.servers.every(({ url }) => URL.canParse(url))).toBe(true);
    expect(http.serversTransports).toHaveProperty(balancer?.serversTransport ?? 'none');
  }
});

test.skipIf(!isInstalled('systemd-analyze'))(
  'systemd accepts systemd/weft.service, and rates it as confined',
  () => {
    const file = deploy('systemd/weft.service');
    const verified = run('systemd-analyze', ['verify', '--man=no', file]);
    expect([verified.status, verified.output]).toEqual([0, '']);
    const { output } = run('systemd-analyze', ['security', '--offline=true', '--no-pager', file]);
    // From 0 (fully confined) to 10.
    const exposure = Number(/exposure level for weft\.service: ([\d.]+)/.exec(output)?.[1]);
    expect(exposure, output).toBeLessThan(5);
  },
);

describe.skipIf(!isInstalled('kubectl'))('Kubernetes', () => {
  type Manifest = {
    apiVersion: string;
    kind: string;
    metadata: { name: string };
    data?: Record<string, string>;
  };
  type Pod = {
    containers: {
      image: string;
      env?: { name: string }[];
      envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
      volumeMounts: { name: string }[];
    }[];
    volumes: { name: string }[];
  };
  /** Each class validates its argument against the schema of the Kubernetes API. */
  const kinds: Record<string, new (data: never) => { validate(): void }> = {
    'v1 ConfigMap': core.ConfigMap,
    'v1 Service': core.Service,
    'apps/v1 Deployment': apps.Deployment,
    'apps/v1 StatefulSet': apps.StatefulSet,
    'policy/v1 PodDisruptionBudget': policy.PodDisruptionBudget,
  };

  test.each(['single', 'cluster'])('%s: renders to valid manifests that refer to each other', (name) => {
    const { status, output } = run('kubectl', ['kustomize', deploy(`kubernetes/${name}`)]);
    expect(status, output).toBe(0);
    const manifests = parseAllDocuments(output).map((document) => document.toJS() as Manifest);
    for (const manifest of manifests) {
      const Kind = kinds[`${manifest.apiVersion} ${manifest.kind}`];
      if (Kind === undefined) throw new Error(`${manifest.kind}: no schema is known`);
      expect(() => new Kind(manifest as never).validate(), manifest.metadata.name).not.toThrow();
    }
    const settingsMap = manifests.find(({ kind }) => kind === 'ConfigMap');
    const unknown = Object.keys(settingsMap?.data ?? {}).filter((key) => !Object.hasOwn(settings, key));
    expect(unknown, `Change deploy/kubernetes/${name}`).toEqual([]);
    const pods = manifests
      .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
      .map(
        (manifest) =>
          manifest as unknown as { spec: { template: { spec: Pod }; volumeClaimTemplates?: Manifest[] } },
      );
    expect(pods).toHaveLength(name === 'single' ? 1 : 2);
    for (const { spec } of pods) {
      const { containers, volumes } = spec.template.spec;
      const mounted = new Set([
        ...volumes.map((volume) => volume.name),
        ...(spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name),
      ]);
      for (const { envFrom, env = [], volumeMounts } of containers) {
        expect(envFrom[0]?.configMapRef?.name).toBe(settingsMap?.metadata.name);
        expect(envFrom[1]?.secretRef?.name).toBe('weft');
        expect(env.filter((one) => !Object.hasOwn(settings, one.name))).toEqual([]);
        expect(volumeMounts.filter((mount) => !mounted.has(mount.name))).toEqual([]);
      }
    }
  });

  test('an invalid field is reported', () => {
    const Kind = kinds['apps/v1 Deployment']!;
    const wrong = { metadata: { name: 'x' }, spec: { replicas: 'two', selector: {}, template: {} } };
    expect(() => new Kind(wrong as never).validate()).toThrow(/replicas/);
  });
});
