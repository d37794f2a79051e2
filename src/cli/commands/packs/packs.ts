import { existsSync } from 'node:fs';
import type { ConnectOptions } from '../../connect.ts';
import { exitCodes } from '../../error-message.ts';
import { confirm } from '../../terminal/prompt.ts';
import type { RunContext } from '../../run-context.ts';
import { UsageError } from '../../usage-error.ts';
import { readBytes, readText } from '../input.ts';
import { showList, type ListOptions } from '../list.ts';
import { remove, type DeleteOptions } from '../remove.ts';

type Installation = Awaited<ReturnType<RunContext['client']['packs']['install']>>;
type InstallInput = Parameters<RunContext['client']['packs']['install']>[0];

/** Maximum number of operations that the text of a preview names. */
const MAX_NAMED = 20;
/** Reading a large document takes several seconds, and loading it from its URL up to a minute. */
const INSTALL_TIMEOUT_MS = 120_000;

export async function listPacks(
  context: RunContext,
  options: ConnectOptions & ListOptions & { readonly search?: string },
): Promise<undefined> {
  const { search } = options;
  await showList(
    context,
    options,
    'packs',
    (query, request) => context.client.packs.list({ ...query, search }, request),
    [
      { title: 'NAME', of: (pack) => pack.name },
      { title: 'VERSION', of: (pack) => pack.version },
      { title: 'OPERATIONS', of: (pack) => String(pack.operations), isRight: true },
      { title: 'NODE', of: (pack) => pack.node_type },
      { title: 'TITLE', of: (pack) => pack.title, isLoose: true },
    ],
    'No pack is installed.',
  );
  return undefined;
}

export async function listOperations(
  context: RunContext,
  options: ConnectOptions & ListOptions & { readonly search?: string; readonly packVersion?: string },
  name = '',
): Promise<undefined> {
  const { search, packVersion: version } = options;
  await showList(
    context,
    options,
    'operations',
    (query, request) => context.client.packs.operations.list(name, { ...query, search, version }, request),
    [
      { title: 'ID', of: (one) => one.id },
      { title: 'METHOD', of: (one) => one.method ?? '' },
      { title: 'PATH', of: (one) => one.path ?? '' },
      { title: 'TITLE', of: (one) => one.title, isLoose: true },
    ],
    'The pack has no such operation.',
  );
  return undefined;
}

export async function listPackWorkflows(
  { client, printer, signal }: RunContext,
  { packVersion: version }: ConnectOptions & { readonly packVersion?: string },
  name = '',
): Promise<undefined> {
  const found = await client.packs.workflows.list(name, { version }, { signal });
  printer.show(found, () => {
    if (found.workflows.length === 0) printer.note('No workflow uses the pack.');
    else
      printer.table(
        [
          { title: 'ID', of: (one) => one.id },
          { title: 'OWNER', of: (one) => one.owner_id },
          { title: 'VERSIONS', of: (one) => one.versions.join(', ') },
          { title: 'NAME', of: (one) => one.name ?? '', isLoose: true },
        ],
        found.workflows,
      );
    if (!found.complete) printer.note('… and more');
  });
  return undefined;
}

type AddOptions = ConnectOptions & {
  readonly name?: string;
  readonly packVersion?: string;
  readonly integrity?: string;
  readonly dryRun?: boolean;
};
type Source = Pick<InstallInput, 'document' | 'url' | 'package' | 'version' | 'archive' | 'integrity'>;

/** `@scope/name@version` or `name@version`, and no file with a usual extension. */
const PACKAGE = /^((?:@[^/@\s]+\/)?[^/@\s]+)@([^/@\s]+)$/;
const UNVERSIONED_PACKAGE = /^@[^/@\s]+\/[^/@\s]+$/;
const FILE_NAME = /\.(?:json|ya?ml|tgz)$/i;
const ARCHIVE_NAME = /\.tgz$/i;
const EXACT_VERSION = /^\d+\.\d+\.\d+$/;

/** Installs a pack from a file, a URL, standard input or a package of npm. */
export async function addPack(context: RunContext, options: AddOptions, from = ''): Promise<undefined> {
  const input = { ...(await readSource(context, from, options)), name: options.name };
  show(context, await install(context, { ...input, dry_run: options.dryRun }));
  return undefined;
}

/**
 * Shows what differs from the installed version, and installs the new one after confirmation or with --yes;
 * returns 1 otherwise.
 */
export async function updatePack(
  context: RunContext,
  options: AddOptions & DeleteOptions,
  name = '',
  from?: string,
): Promise<number | undefined> {
  const { client, printer, signal, terminal } = context;
  const installed = await client.packs.get(name, {}, { signal });
  const { package: installedPackage } = installed;
  const location =
    installedPackage !== null && from !== undefined && EXACT_VERSION.test(from)
      ? `${installedPackage.name}@${from}`
      : (from ?? installed.document.url);
  if (location === null)
    throw new UsageError(
      installedPackage === null
        ? `${name} was installed from a file: name the file or URL of its new document.`
        : `${name} is the package ${installedPackage.name}: name its new version.`,
    );
  if (installedPackage !== null && isNoSource(location))
    throw new UsageError(
      `There is no file ${location}. ${name} is the package ${installedPackage.name}: name its exact version, such as 1.0.0.`,
    );
  const input = { ...(await readSource(context, location, options)), name };
  const preview = await install(context, { ...input, dry_run: true });
  if (options.dryRun === true || preview.outcome === 'unchanged') {
    show(context, preview);
    return undefined;
  }
  // A document often changes without a new version.
  const version = input.version ?? preview.suggested_version;
  if (options.yes !== true) {
    printer.note(describeChanges(preview).join('\n'));
    if (!(await confirm(terminal, `Install ${name} ${version}?`))) {
      printer.note('Nothing was installed.');
      return exitCodes.failed;
    }
  }
  show(context, await install(context, { ...input, version }));
  return undefined;
}

export async function removePack(
  context: RunContext,
  options: DeleteOptions,
  name = '',
  version?: string,
): Promise<number | undefined> {
  const what = version === undefined ? `the pack ${name}` : `the pack ${name} ${version}`;
  return remove(context, options, what, () =>
    context.client.packs.delete(name, version === undefined ? {} : { version }, { signal: context.signal }),
  );
}

/** Whether a text is a range or a tag, and nothing that exists. */
function isNoSource(from: string): boolean {
  const isSource = from === '-' || /^https?:\/\//i.test(from) || FILE_NAME.test(from) || PACKAGE.test(from);
  return !isSource && !existsSync(from);
}

async function readSource(
  { terminal }: RunContext,
  from: string,
  { packVersion: version, integrity }: AddOptions,
): Promise<Source> {
  if (/^https?:\/\//i.test(from)) return { url: from, version, integrity };
  const [, name, exact] = (FILE_NAME.test(from) ? null : PACKAGE.exec(from)) ?? [];
  if (name !== undefined) {
    if (version !== undefined && version !== exact)
      throw new UsageError(`--pack-version must be that of ${from}, or be omitted.`);
    return { package: name, version: exact, integrity };
  }
  if (UNVERSIONED_PACKAGE.test(from) && !existsSync(from))
    throw new UsageError(
      `There is no file ${from}. A package of npm needs its exact version, such as ${from}@1.0.0.`,
    );
  if (ARCHIVE_NAME.test(from)) return { archive: readBytes(from).toString('base64'), version, integrity };
  return { document: await readText(terminal, from), version, integrity };
}

function install({ client, signal }: RunContext, input: InstallInput): Promise<Installation> {
  return client.packs.install(input, { signal, timeout: INSTALL_TIMEOUT_MS });
}

function show({ printer }: RunContext, installation: Installation): void {
  const { outcome, dry_run: isDryRun, pack, suggested_version: suggested } = installation;
  printer.show(installation, () => {
    const name = `${pack.name} ${pack.version}`;
    const count = `${pack.operations} operation${pack.operations === 1 ? '' : 's'}`;
    if (outcome === 'unchanged') printer.line(`The pack ${name} is installed already.`);
    else if (outcome === 'conflict')
      printer.line(`The pack ${name} is installed with another document; ${suggested} would be free.`);
    else if (isDryRun) printer.line(`The pack ${name} would be installed, with ${count}.`);
    else printer.line(`The pack ${name} is installed, with ${count}: use the node ${pack.node_type}.`);
    for (const text of describeChanges(installation)) printer.line(text);
    for (const warning of pack.warnings) printer.note(warning);
  });
}

/** Lines about the differences to the installed version; none for a first version. */
function describeChanges({ changes }: Installation): string[] {
  const { from_version: from, added, removed, changed } = changes;
  const total = changes.added_count + changes.removed_count + changes.changed_count;
  if (from === null || total === 0) return [];
  const lines = [
    ...removed.map(({ id }) => `- ${id}`),
    ...added.map(({ id }) => `+ ${id}`),
    ...changed.map((one) => `~ ${one.id}: ${describeFields(one)}`),
  ];
  const left = total - MAX_NAMED;
  return [
    `Since ${from}: ${changes.added_count} added, ${changes.removed_count} removed, ${changes.changed_count} changed.`,
    ...lines.slice(0, MAX_NAMED),
    ...(left > 0 ? [`… and ${left} more: --json`] : []),
  ];
}

function describeFields(change: Installation['changes']['changed'][number]): string {
  const parts = (['added', 'removed', 'changed', 'required', 'properties'] as const).flatMap((kind) => {
    const fields = change[kind];
    if (fields.length === 0) return [];
    return [`${kind === 'properties' ? 'other' : kind} ${fields.join(', ')}`];
  });
  return parts.join('; ');
}
