import { HttpFailure, type NodeContext, type NodeType, type Outcome } from '../../contract/node-type.ts';
import { CALL_TIMEOUT_MS, type NpmManifest, type NpmOperation } from '../../contract/packs/npm-packs.ts';
import { packNodeType } from '../../contract/packs/packs.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { listNamedConnections } from '../http/authentication.ts';
import { done, invalid } from '../outcome.ts';
import { tagged } from '../schema.ts';
import { listActionFields } from './action-fields.ts';
import { createActionForm } from './action-form.ts';
import { loadAuthentication } from './authentication.ts';
import { FieldFailure, readProps, type InputFiles } from './read-props.ts';

/**
 * Creates the node type of a package. Its configuration is a variant for each action, which runs in the
 * process of the pack.
 */
export function createNpmNode(manifest: NpmManifest): NodeType {
  const operations = new Map(manifest.operations.map((operation) => [operation.id, operation]));
  return defineNode({
    type: packNodeType(manifest),
    version: manifest.version,
    name: manifest.title,
    category: 'connector',
    description: describe(manifest),
    icon: 'package',
    keywords: [manifest.package.name],
    config: tagged(
      'operation',
      manifest.operations.map((operation) => createActionForm(manifest, operation)),
      { title: 'Operation' },
    ),
    templates: {
      operation: 'literal',
      'authentication.type': 'literal',
      'authentication.connection': 'literal',
      'authentication.credential': 'literal',
    },
    outputs: [{ name: 'out', type: 'any', description: 'The result of the action' }],
    effects: 'external',
    secrets: {
      authentication: 'request',
      ...Object.fromEntries(
        manifest.operations.flatMap((operation) =>
          listActionFields(operation).map(({ field }) => [field, 'request'] as const),
        ),
      ),
    },
    timeout: CALL_TIMEOUT_MS,
    connections: listNamedConnections,
    run: (ctx, config) => runAction(ctx, manifest, operations, config as JsonObject),
    examples: [],
  });
}

function describe({ title, description, operations, package: { name } }: NpmManifest): string {
  const [first = ''] = description.split('\n', 1);
  const count = `${operations.length} action${operations.length === 1 ? '' : 's'}`;
  return `${first.trim() === '' ? `Uses ${title}.` : first.trim()} ${count} of the package ${name}.`;
}

async function runAction(
  ctx: NodeContext,
  manifest: NpmManifest,
  operations: ReadonlyMap<string, NpmOperation>,
  config: JsonObject,
): Promise<Outcome> {
  const { operation: id } = config;
  const operation = typeof id === 'string' ? operations.get(id) : undefined;
  if (operation === undefined) return invalid('operation', 'must be an operation of this version');
  if (ctx.interruptions > 0 && !operation.idempotent) return interrupted(operation);
  const files: InputFiles = new Map();
  try {
    const auth = await loadAuthentication(ctx, manifest, config['authentication'] ?? null);
    if ('issue' in auth) return invalid(auth.field, auth.issue);
    const props = await readProps(ctx, listActionFields(operation), config, '', files);
    const { name, version } = manifest;
    const { integrity } = manifest.package;
    const call = {
      pack: { name, version, integrity },
      operation: operation.id,
      auth: auth.value,
      props,
      files,
    };
    const result = await ctx.packs.run(call);
    if (result.kind === 'value') return done(await saveFiles(ctx, result));
    // The action may have had its effect.
    const isFinal = result.hasConnected && !operation.idempotent;
    return { kind: 'failed', error: { ...result.error, ...(isFinal ? { retryable: false } : {}) } };
  } catch (error) {
    if (error instanceof FieldFailure) return invalid(error.field, error.message);
    if (error instanceof HttpFailure) return { kind: 'failed', error: error.failure };
    throw error;
  }
}

function interrupted({ id }: NpmOperation): Outcome {
  return {
    kind: 'failed',
    error: {
      type: 'interrupted',
      message: `The process ended while the action ${id} ran. It is not repeated, because the pack does not state that it may run twice.`,
      retryable: false,
    },
  };
}

/** Saves the files that the action wrote, and puts their references into the result. */
async function saveFiles(
  ctx: NodeContext,
  { value, files }: Extract<Awaited<ReturnType<NodeContext['packs']['run']>>, { kind: 'value' }>,
): Promise<Json> {
  if (files.length === 0) return value;
  const references = new Map<string, Json>();
  for (const { id, name, bytes } of files)
    references.set(id, await ctx.files.save({ name, contentType: 'application/octet-stream', bytes }));
  const replace = (one: Json): Json => {
    if (typeof one === 'string') return references.get(one) ?? one;
    if (Array.isArray(one)) return one.map(replace);
    return isObject(one)
      ? Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, replace(inner)]))
      : one;
  };
  return replace(value);
}
