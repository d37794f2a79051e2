import type { InstantiateTemplateInput } from '../../../sdk/src/index.ts';
import type { ConnectOptions } from '../connect.ts';
import { findNearest } from '../did-you-mean.ts';
import type { RunContext } from '../run-context.ts';
import { toPlainText } from '../terminal/text.ts';
import { UsageError } from '../usage-error.ts';
import { parseJson, readInput, readText } from './input.ts';
import { showList, type ListOptions } from './list.ts';
import { remove, type DeleteOptions } from './remove.ts';
import { noteIssues } from './workflows.ts';

type SearchOptions = ConnectOptions & ListOptions & { readonly search?: string };

export async function listTemplates(context: RunContext, options: SearchOptions): Promise<undefined> {
  const { search } = options;
  await showList(
    context,
    options,
    'templates',
    (page, given) => context.client.templates.list({ ...page, search }, given),
    [
      { title: 'NAME', of: (one) => one.templateName },
      { title: 'VERSION', of: (one) => one.version },
      { title: 'FROM', of: (one) => (one.builtin ? 'Weft' : 'you') },
      { title: 'DESCRIPTION', of: (one) => one.description, isLoose: true },
    ],
    'There is no such template.',
  );
  return undefined;
}

export async function getTemplate(
  { client, printer, signal }: RunContext,
  _options: ConnectOptions,
  name = '',
): Promise<undefined> {
  const template = await client.templates.get(name, {}, { signal });
  printer.show(template, () => {
    printer.record([
      ['template', template.templateName],
      ['version', template.version],
      ['versions', template.versions.join(', ')],
      ['description', template.description],
    ]);
    if (template.parameters.length === 0) return;
    printer.line();
    printer.table(
      [
        { title: 'PARAMETER', of: (one) => one.name },
        { title: 'TYPE', of: (one) => one.type },
        { title: 'REQUIRED', of: (one) => (one.required ? 'yes' : '') },
        {
          title: 'OPTIONS',
          of: (one) => one.options.map((option) => JSON.stringify(option)).join(' '),
          isLoose: true,
        },
        { title: 'DESCRIPTION', of: (one) => one.description ?? '', isLoose: true },
      ],
      template.parameters,
    );
  });
  return undefined;
}

/** Registers a template from a file. */
export async function createTemplate(
  { client, printer, signal, terminal }: RunContext,
  options: ConnectOptions & { readonly file: string },
): Promise<undefined> {
  const body = parseJson(await readText(terminal, options.file), options.file);
  const template = await client.templates.create(body as Parameters<typeof client.templates.create>[0], {
    signal,
  });
  printer.show(template, () =>
    printer.line(`The template ${template.templateName} ${template.version} is registered.`),
  );
  return undefined;
}

export async function deleteTemplate(
  context: RunContext,
  options: DeleteOptions,
  name = '',
): Promise<number | undefined> {
  return remove(context, options, `the template ${name}`, () =>
    context.client.templates.delete(name, {}, { signal: context.signal }),
  );
}

type UseOptions = ConnectOptions & { readonly set?: readonly string[]; readonly parameters?: string };

/** Creates a workflow from a template. `--set name=value`: the value is parsed by the parameter's type. */
export async function useTemplate(context: RunContext, options: UseOptions, name = ''): Promise<undefined> {
  const { client, printer, signal, terminal } = context;
  const given = (await readInput(terminal, options.parameters, '--parameters')) ?? {};
  const template = await client.templates.get(name, {}, { signal });
  const parameters: NonNullable<InstantiateTemplateInput['parameters']> = { ...given };
  for (const text of options.set ?? []) {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageError(`--set must be name=value, not ${JSON.stringify(text)}.`);
    const key = text.slice(0, at);
    const parameter = template.parameters.find((one) => one.name === key);
    if (parameter === undefined) {
      const meant = findNearest(
        key,
        template.parameters.map((one) => one.name),
      );
      throw new UsageError(
        `${name} has no parameter ${key}${meant === null ? '' : `; did you mean ${meant}?`} weft templates get ${name} shows all.`,
      );
    }
    parameters[key] = parseValue(text.slice(at + 1), parameter.type);
  }
  const workflow = await client.templates.instantiate(name, { parameters }, { signal });
  printer.show(workflow, () => {
    printer.line(workflow.id);
    printer.note(`${toPlainText(workflow.name)} is ${workflow.status}.`);
    noteIssues(printer, workflow);
  });
  return undefined;
}

/** A value for a string parameter stays text; any other value is parsed as JSON if possible. */
function parseValue(text: string, type: string): unknown {
  if (type === 'string' || type === 'secret') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
