import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Workflow } from '../../../sdk/src/index.ts';
import type { ConnectOptions } from '../connect.ts';
import type { RunContext } from '../run-context.ts';
import { UsageError } from '../usage-error.ts';
import { withoutGroupTags } from './apply/apply-group.ts';
import { findWorkflow } from './find-workflow.ts';

type ExportOptions = ConnectOptions & { readonly all?: boolean; readonly output?: string };

/** Exports workflows as files for `weft apply`: to standard output, or one file each into a folder. */
export async function exportWorkflows(
  context: RunContext,
  options: ExportOptions,
  ...names: string[]
): Promise<undefined> {
  const { client, printer, signal } = context;
  if (options.all !== true && names.length === 0)
    throw new UsageError('weft export requires ids or names of workflows, or --all.');
  const found: Workflow[] = [];
  for (const name of names) found.push(await findWorkflow(context, name));
  if (options.all === true) {
    for await (const { id } of client.workflows.listAll({}, { signal }))
      found.push(await client.workflows.get(id, { signal }));
  }
  const bodies = found.map(toWorkflowFile);
  if (options.output === undefined) {
    printer.line(JSON.stringify(bodies.length === 1 && options.all !== true ? bodies[0] : bodies, null, 2));
    return undefined;
  }
  mkdirSync(options.output, { recursive: true });
  const written: string[] = [];
  for (const body of bodies) {
    const file = path.join(options.output, fileName(body.name, body.id, bodies));
    writeFileSync(file, `${JSON.stringify(body, null, 2)}\n`);
    written.push(file);
  }
  printer.show({ files: written }, () => written.forEach((file) => printer.line(file)));
  return undefined;
}

type Exported = ReturnType<typeof toWorkflowFile>;

function toWorkflowFile({ id, name, description, status, definition, settings, tags }: Workflow) {
  const set = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
  return { id, name, description, status, settings: set, tags: withoutGroupTags(tags), definition };
}

/** Returns the name in lower case; with the id if two would be equal. */
function fileName(name: string, id: string, all: readonly Exported[]): string {
  const slug = (text: string): string =>
    text
      .toLowerCase()
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 60);
  const own = slug(name);
  const isAlone = own !== '' && all.filter((one) => slug(one.name) === own).length === 1;
  return `${isAlone ? own : `${own === '' ? 'workflow' : own}-${id}`}.json`;
}
