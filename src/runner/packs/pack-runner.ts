import { WeftError, type FieldError } from '../../contract/errors.ts';
import type { NodeErrorType } from '../../contract/execution.ts';
import { UPSTREAM_JSON } from '../../contract/json-input.ts';
import { HttpFailure, type NodeFailure, type PackCallResult } from '../../contract/node-type.ts';
import type { PackCall } from '../../contract/packs/pack-call.ts';
import type { NpmManifest } from '../../contract/packs/npm-packs.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import { requireJsonBounds } from '../../lib/json/parse-json.ts';
import { checkValueLimits } from '../../lib/limits/value-limits.ts';
import { limits } from '../../ports/limits.ts';
import {
  PackAppRequestError,
  type OpenConnection,
  type PackRunner,
  type ReadPack,
} from '../../ports/pack-runner.ts';
import type { EgressClient } from '../http/egress-client.ts';
import { createCodeFailure } from '../sandbox/code-failure.ts';
import type { Launch } from '../sandbox/isolation-launcher.ts';
import { computeIntegrity, PackArchiveError, readPackArchive, type PackArchive } from './npm-archive.ts';
import { fetchPublishedArchive, PublishedPackageError } from './npm-registry.ts';
import type { PackAppInput, PackInput, PackOutput } from './pack-messages.ts';
import { readAppEvent } from '../../contract/packs/read-trigger-result.ts';
import { listPackLaunches } from './pack-launcher.ts';
import { describeLoss, PackPool, type PackRun } from './pack-pool.ts';
import { readChoices } from './read-choices.ts';
import { readListing } from './read-listing.ts';

export type PackRunnerOptions = {
  /** The base URL of the registry without trailing slash; null: none. */
  registry: string | null;
  /** For the registry. */
  egress: Pick<EgressClient, 'send'>;
  /** The archive of an installed pack; null when it is not installed any more. */
  loadArchive: (name: string, version: string) => Promise<Uint8Array | null>;
  warn: (message: string) => void;
  launches?: () => Launch[];
  size?: number;
  /** Certificates in PEM that packs trust in addition. Default: those that the service trusts. */
  authorities?: readonly string[];
  /** ms. */
  idle?: number;
};

/** The owners of the processes that list packages at their installation, and that read requests of apps. */
const INSTALLATION = '';
const APPS = 'apps';
const UNAVAILABLE =
  'Packs from npm cannot run on this machine: their process could not be isolated; see the server log';

type Source = { integrity: string; signedBy: string | null; field: 'package' | 'archive' };

/** No process is started before the first call. */
export function createPackRunner({
  registry,
  egress,
  loadArchive,
  launches = listPackLaunches,
  ...options
}: PackRunnerOptions): PackRunner & { close(): void; pids(): number[] } {
  const pool = new PackPool({ launches, ...options });
  const closing = new AbortController();

  async function loadSource({ name, version, integrity }: PackCall['pack']): Promise<string> {
    const archive = await loadArchive(name, version);
    if (archive === null) throw new MissingPackError(`The pack ${name} ${version} is not installed`);
    if (computeIntegrity(archive) !== integrity)
      throw new MissingPackError(`The stored archive of the pack ${name} ${version} was changed`);
    return (await readPackArchive(archive)).source;
  }

  async function read(archive: Uint8Array, from: Source, signal: AbortSignal): Promise<ReadPack> {
    let content: PackArchive;
    try {
      content = await readPackArchive(archive);
    } catch (error) {
      if (error instanceof PackArchiveError) return refuse(from.field, error.message);
      throw error;
    }
    const time = AbortSignal.timeout(limits.packListingMs);
    const run = await pool.run({
      ownerId: INSTALLATION,
      pack: from.integrity,
      loadSource: () => Promise.resolve(content.source),
      request: { kind: 'list' },
      printText: () => '',
      open: refuseConnection('while it is read'),
      signal: AbortSignal.any([signal, closing.signal, time]),
    });
    const issue = findListingIssue(run, time.aborted);
    if (issue !== null) return refuse(from.field, issue);
    const listing = readListing(parseListing(run), content.name);
    if (listing === null)
      return refuse(from.field, 'cannot be used: it declares no actions and no triggers that Weft can run');
    return { kind: 'pack', archive, manifest: createManifest(content, from, listing) };
  }

  return {
    async fetch(wanted, signal) {
      if (registry === null)
        return refuse('package', 'must not be set: packages are disabled on this server');
      try {
        const ending = AbortSignal.any([signal, closing.signal, AbortSignal.timeout(limits.packageFetchMs)]);
        const { archive, ...published } = await fetchPublishedArchive(egress, registry, wanted, ending);
        const result = await read(archive, { ...published, field: 'package' }, signal);
        if (result.kind === 'refused') return result;
        const { package: stated, version } = result.manifest;
        return stated.name === wanted.name && version === wanted.version
          ? result
          : refuse('package', 'cannot be used: its package.json has another name or version');
      } catch (error) {
        if (error instanceof PublishedPackageError) return refuse(error.field, error.message);
        throw error;
      }
    },

    read: (archive, signal) =>
      read(archive, { integrity: computeIntegrity(archive), signedBy: null, field: 'archive' }, signal),

    async readAppRequest({ pack, url, secret, payload }, signal) {
      const run = await pool.run({
        ownerId: APPS,
        pack: pack.integrity,
        loadSource: () => loadSource(pack),
        request: { kind: 'app_request', maxOutput: limits.packReplyBytes },
        printText: () => JSON.stringify({ url, secret, payload } satisfies PackAppInput),
        open: refuseConnection('while it reads a request'),
        signal: AbortSignal.any([signal, closing.signal]),
      });
      const result = toResult(run);
      if (result.kind === 'failed') throw new PackAppRequestError(result.error.message);
      return readAppEvent(result.value);
    },

    async run({ pack, operation, trigger, choices, auth, props, files, ownerId, signal, open, log }) {
      let run: PackRun;
      try {
        run = await pool.run({
          ownerId,
          pack: pack.integrity,
          loadSource: () => loadSource(pack),
          request:
            choices === undefined
              ? { kind: 'run', operation, hook: trigger?.hook ?? null, maxOutput: limits.codeOutputBytes }
              : {
                  kind: 'choices',
                  operation,
                  ...choices,
                  maxOptions: limits.packChoices,
                  maxOutput: limits.packChoiceBytes,
                },
          printText: () => printInput({ auth, props, files, ...(trigger === undefined ? {} : { trigger }) }),
          open,
          signal,
        });
      } catch (error) {
        if (error instanceof WeftError) throw error;
        return fail(
          createCodeFailure('thrown', error instanceof Error ? error.message : String(error)),
          false,
        );
      }
      if (run.kind === 'reply')
        for (const line of run.printed.split('\n'))
          if (line.trim() !== '') log('info', line.slice(0, limits.logMessageChars));
      const result = toResult(run);
      return choices === undefined || result.kind === 'failed' ? result : toChoices(result);
    },

    close() {
      closing.abort();
      pool.close();
    },
    pids: () => pool.pids(),
  };
}

class MissingPackError extends Error {
  override readonly name = 'MissingPackError';
}

function refuse(field: string, issue: string): { kind: 'refused'; errors: FieldError[] } {
  return { kind: 'refused', errors: [{ field, issue }] };
}

function refuseConnection(when: string): OpenConnection {
  return ({ host }) =>
    Promise.reject(
      new HttpFailure({ type: 'forbidden', message: `A package may not connect to ${host} ${when}` }),
    );
}

function findListingIssue(run: PackRun, isLate: boolean): string | null {
  if (isLate) return `cannot be used: it could not be read within ${limits.packListingMs} ms`;
  switch (run.kind) {
    case 'unavailable':
      return 'cannot be used on this machine: the process of a pack could not be isolated; see the server log';
    case 'busy':
      return 'cannot be read now: too many packs are waiting';
    case 'stopped':
      return 'was not read: the service is stopping';
    case 'unloadable':
      return `cannot be used: it could not be loaded: ${run.message}`;
    default:
      if (run.reply.kind === 'lost') return `cannot be used: ${describeLoss(run.reply.why)}`;
      return run.reply.kind === 'failed' ? `cannot be used: ${run.reply.message}` : null;
  }
}

function parseListing(run: PackRun): Json {
  if (run.kind !== 'reply' || run.reply.kind !== 'done') return null;
  try {
    requireJsonBounds(run.reply.text, UPSTREAM_JSON);
    return JSON.parse(run.reply.text) as Json;
  } catch {
    return null;
  }
}

/** `@activepieces/piece-google-sheets` → `google_sheets` */
function toPackName(packageName: string): string {
  const plain = packageName
    .slice(packageName.lastIndexOf('/') + 1)
    .replace(/^piece-/, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 64);
  return plain === '' ? 'pack' : plain;
}

function createManifest(
  { name, version, description, license }: PackArchive,
  { integrity, signedBy, field }: Source,
  listing: NonNullable<ReturnType<typeof readListing>>,
): NpmManifest {
  const warnings = [...listing.warnings];
  if (license === null) warnings.push('The package states no license.');
  if (signedBy === null)
    warnings.push(
      field === 'archive'
        ? 'The archive was uploaded: no registry vouches for it.'
        : 'The registry publishes no keys: the package was checked by its integrity only.',
    );
  return {
    kind: 'npm',
    name: toPackName(name),
    version,
    documentVersion: version,
    package: { name, integrity, signedBy, license },
    servers: [],
    ...listing,
    description: listing.description === '' ? description : listing.description,
    warnings,
  };
}

function printInput({
  auth,
  props,
  files,
  trigger,
}: Pick<PackCall, 'auth' | 'props' | 'files' | 'trigger'>): string {
  const input: PackInput = {
    auth,
    props,
    state: trigger?.state ?? {},
    ...(trigger?.webhookUrl === undefined ? {} : { webhookUrl: trigger.webhookUrl }),
    ...(trigger?.payload === undefined ? {} : { payload: trigger.payload }),
    files: Object.fromEntries(
      [...files].map(([id, { name, bytes }]) => [id, { name, data: Buffer.from(bytes).toString('base64') }]),
    ),
  };
  return JSON.stringify(input);
}

function fail(result: ReturnType<typeof createCodeFailure>, hasConnected: boolean): PackCallResult {
  return result.kind === 'failed'
    ? { ...result, hasConnected }
    : { kind: 'failed', error: { type: 'internal', message: 'The pack failed' }, hasConnected };
}

function toResult(run: PackRun): PackCallResult {
  switch (run.kind) {
    case 'busy':
      return fail(
        createCodeFailure('CODE_BUSY', 'Too many calls of packs are waiting; try again later'),
        false,
      );
    case 'unavailable':
      return fail(createCodeFailure('CODE_UNAVAILABLE', UNAVAILABLE), false);
    case 'stopped':
      return fail(createCodeFailure('CODE_STOPPED', 'The execution ended while the pack ran'), true);
    case 'unloadable':
      return fail(createCodeFailure('thrown', `The pack could not be loaded: ${run.message}`), false);
    default:
      return toReplyResult(run);
  }
}

function toReplyResult({ reply, refusal, opened }: PackRun & { kind: 'reply' }): PackCallResult {
  const hasConnected = opened > 0;
  if (reply.kind === 'lost')
    return fail(
      createCodeFailure(
        reply.why === 'out_of_memory' ? 'CODE_OUT_OF_MEMORY' : 'CODE_CRASHED',
        describeLoss(reply.why),
      ),
      hasConnected,
    );
  if (reply.kind === 'failed') {
    const { message, status, body } = reply;
    const details = { code: 'PACK_FAILED', message, ...(body === null ? {} : { body }) };
    // The reason of the egress policy; the pack only knows that a connection ended.
    const error: NodeFailure =
      refusal === null
        ? { type: getErrorType(status), message, ...(status === null ? {} : { status }), data: details }
        : { ...refusal, data: details };
    return { kind: 'failed', error, hasConnected };
  }
  return readOutput(reply.text, hasConnected);
}

function toChoices(result: Extract<PackCallResult, { kind: 'value' }>): PackCallResult {
  const choices = readChoices(result.value);
  return typeof choices === 'string'
    ? fail(createCodeFailure('result', `The result of the pack ${choices}`), false)
    : { ...result, value: choices as unknown as Json };
}

function getErrorType(status: number | null): NodeErrorType {
  if (status === 429) return 'rate_limited';
  if (status !== null && status >= 500) return 'server_error';
  return status !== null && status >= 400 ? 'client_error' : 'code';
}

/** Parses the result, which may be any text. */
function readOutput(text: string, hasConnected: boolean): PackCallResult {
  const refuseOutput = (issue: string) =>
    fail(createCodeFailure('result', `The result ${issue}`), hasConnected);
  let output: Json;
  try {
    requireJsonBounds(text, UPSTREAM_JSON);
    output = JSON.parse(text) as Json;
  } catch (error) {
    return refuseOutput(error instanceof SyntaxError ? 'is not JSON' : (error as Error).message);
  }
  if (!isObject(output)) return refuseOutput('has an unknown form');
  const { value = null, files } = output as unknown as Partial<PackOutput> & { value?: Json };
  const problem = checkValueLimits(value, limits.codeOutputBytes, limits.valueDepth);
  if (problem !== null) return refuseOutput(problem);
  const read = (Array.isArray(files) ? files : []).flatMap(({ id, name, data }) =>
    typeof id === 'string' && typeof name === 'string' && typeof data === 'string'
      ? [{ id, name, bytes: Buffer.from(data, 'base64') }]
      : [],
  );
  return { kind: 'value', value, files: read };
}
