/*
 * Reads packages of npm as the service does, and compiles the form of each action and trigger with the
 * service's validator: `node bench/pack-forms.ts [folder]`. Without a folder of `.tgz` files, the packages
 * are those among the development dependencies.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { listUsableTriggers, type NpmManifest } from '../src/contract/packs/npm-packs.ts';
import type { JsonObject } from '../src/lib/json/json.ts';
import type { NodeType } from '../src/contract/node-type.ts';
import { createNpmNode } from '../src/nodes/npm/npm-node.ts';
import { createNpmTrigger } from '../src/nodes/npm/npm-trigger.ts';
import { validateConfig } from '../src/nodes/validate-config.ts';
import { createPackRunner } from '../src/runner/packs/pack-runner.ts';
import { readPublished } from './published-packs.ts';
import { projectRoot } from './service.ts';

const SCOPE = '@activepieces';
const READ_LIMIT_MS = 60_000;

function listArchives(folder: string | undefined): { name: string; archive: Buffer }[] {
  if (folder === undefined)
    return readdirSync(path.join(projectRoot, 'node_modules', SCOPE)).map((name) => ({
      name,
      archive: readPublished(`${SCOPE}/${name}`),
    }));
  const names = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  return names.toSorted().map((name) => ({ name, archive: readFileSync(path.join(folder, name)) }));
}

/** The problems of the forms of one node type, one for each variant that does not compile. */
function listProblems(type: NodeType, configs: readonly JsonObject[]): string[] {
  return configs.flatMap((config) => {
    try {
      // Missing fields are errors of the configuration; a schema that does not compile throws.
      validateConfig(type, config);
      return [];
    } catch (error) {
      return [
        `${type.type} ${JSON.stringify(config)}: ${error instanceof Error ? error.message : String(error)}`,
      ];
    }
  });
}

function checkForms(manifest: NpmManifest): { forms: number; problems: string[] } {
  const actions = manifest.operations.map(({ id }) => ({ operation: id }));
  const triggers = listUsableTriggers(manifest).map(({ id }) => ({ event: id }));
  const trigger = createNpmTrigger(manifest);
  const problems = [
    ...listProblems(createNpmNode(manifest), actions),
    ...(trigger === null ? [] : listProblems(trigger, triggers)),
  ];
  return { forms: actions.length + triggers.length, problems };
}

const runner = createPackRunner({
  registry: null,
  egress: { send: () => Promise.reject(new Error('No registry is used')) },
  loadArchive: () => Promise.resolve(null),
  warn: (message) => console.error(message),
});
let forms = 0;
let failed = 0;
const rows: object[] = [];
const archives = listArchives(process.argv[2]);
for (const { name, archive } of archives) {
  const began = performance.now();
  const read = await runner.read(archive, AbortSignal.timeout(READ_LIMIT_MS));
  const ms = Math.round(performance.now() - began);
  if (read.kind === 'refused') {
    console.log(`${name}: ${read.errors.map(({ issue }) => issue).join('; ')}`);
    continue;
  }
  const { manifest } = read;
  const checked = checkForms(manifest);
  for (const problem of checked.problems) console.log(problem);
  forms += checked.forms;
  failed += checked.problems.length;
  rows.push({
    name: manifest.package.name,
    version: manifest.version,
    actions: manifest.operations.length,
    triggers: manifest.triggers.length,
    ms,
    unknown: manifest.warnings.filter((one) => one.includes('unknown kind')).length,
  });
}
runner.close();
console.table(rows);
console.log(`${rows.length} of ${archives.length} packages, ${forms - failed} of ${forms} forms`);
process.exitCode = failed === 0 && rows.length > 0 ? 0 : 1;
