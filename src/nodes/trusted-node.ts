import { nodeErrorTypes } from '../contract/execution.ts';
import { nodeCategories, type NodeType, type Outcome } from '../contract/node-type.ts';
import { secretDestinations } from '../contract/secret-fields.ts';
import { isObject, type Json } from '../lib/json/json.ts';
import { validateConfig, validateValue } from './validate-config.ts';

/** Every field that a node type may have. */
const FIELDS: ReadonlySet<string> = new Set<keyof NodeType>([
  'type',
  'version',
  'name',
  'category',
  'description',
  'icon',
  'config',
  'templates',
  'inputs',
  'outputs',
  'fields',
  'dynamicOutputs',
  'effects',
  'secrets',
  'isTrigger',
  'timeout',
  'keepsTime',
  'sources',
  'edges',
  'regions',
  'check',
  'control',
  'recover',
  'run',
  'examples',
]);
const CATEGORIES: readonly string[] = nodeCategories.filter((one) => one !== 'custom' && one !== 'trigger');
/** Values of one output that are looked at; a larger one is bounded by what the engine keeps. */
const MAX_VALUES = 5_000_000;

/** What is wrong with what a file of a trusted node gives as its default; null: it is a node type. */
export function checkTrustedNode(given: unknown): string | null {
  if (typeof given !== 'object' || given === null || !Object.isFrozen(given) || !('isTrigger' in given))
    return 'its default export is not made by defineNode of weft/node-kit';
  const node = given as Record<string, unknown>;
  const unknown = Object.keys(node).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) return `${unknown} is no field of a node`;
  const { type, version, name, description, icon, category, effects, isTrigger, timeout, run, examples } =
    node;
  if (typeof type !== 'string' || !/^[A-Za-z][A-Za-z0-9_.-]{0,99}$/.test(type))
    return 'type takes a name of letters, digits, "_", "." and "-" that begins with a letter, at most 100 characters';
  if (typeof version !== 'string' || !/^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2}$/.test(version))
    return 'version takes the form major.minor.patch, such as 1.0.0';
  for (const [field, value] of Object.entries({ name, description, icon }))
    if (typeof value !== 'string' || value === '' || value.length > 2_000)
      return `${field} takes a text of 1 to 2000 characters`;
  if (typeof category !== 'string' || !CATEGORIES.includes(category))
    return `category takes one of ${CATEGORIES.join(', ')}`;
  if (effects !== 'none' && effects !== 'external') return 'effects takes none or external';
  if (isTrigger !== false) return 'isTrigger: triggers cannot be brought along';
  if (timeout !== null && !(typeof timeout === 'number' && Number.isSafeInteger(timeout) && timeout > 0))
    return 'timeout takes milliseconds above 0';
  if (typeof run !== 'function') return 'run takes a function';
  return (
    portsFault(node) ??
    secretsFault(node['secrets']) ??
    examplesFault(examples) ??
    schemaFaultOf(given as NodeType)
  );
}

function portsFault({ inputs, outputs }: Record<string, unknown>): string | null {
  for (const [field, ports] of Object.entries({ inputs, outputs })) {
    if (!Array.isArray(ports) || ports.length === 0) return `${field} takes a list of at least one port`;
    const names = new Set<unknown>();
    for (const port of ports as unknown[]) {
      const { name, type, description } = isObject(port) ? port : {};
      if (typeof name !== 'string' || !/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name))
        return `${field}: each has a name of letters, digits, "_" and "-"`;
      if (typeof type !== 'string' || typeof description !== 'string')
        return `${field}: ${name} takes a type and a description`;
      if (names.has(name)) return `${field}: ${name} stands there twice`;
      names.add(name);
    }
  }
  return null;
}

function secretsFault(secrets: unknown): string | null {
  if (secrets === undefined) return null;
  if (!isObject(secrets as Json)) return 'secrets takes an object of fields';
  for (const [field, destination] of Object.entries(secrets as Record<string, unknown>)) {
    if (!/^[^.]+(?:\.[^.]+)*$/.test(field))
      return `secrets: "${field}" is not a field such as headers or auth.token`;
    if (!secretDestinations.some((one) => one === destination))
      return `secrets: ${field} takes one of ${secretDestinations.join(', ')}`;
  }
  return null;
}

function examplesFault(examples: unknown): string | null {
  if (!Array.isArray(examples)) return 'examples takes a list';
  for (const [i, example] of (examples as unknown[]).entries())
    if (
      !isObject(example) ||
      typeof example['title'] !== 'string' ||
      !isObject(example['config'] ?? null) ||
      !('input' in example)
    )
      return `examples[${i}] takes a title, a config and an input`;
  return null;
}

/** Compiled at the start, so that a wrong schema is no surprise in an execution. */
function schemaFaultOf(node: NodeType): string | null {
  const { type, properties } = node.config as { type?: unknown; properties?: unknown };
  if (type !== 'object' || typeof properties !== 'object') return 'config takes the schema of an object';
  try {
    const bare = { ...node, check: () => [] };
    validateConfig(bare, {});
    validateValue(bare, {});
    return null;
  } catch (error) {
    return `config is no schema: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * The node with what it gives held to its word: a mistake in it fails the node run, with a message that names the node, and
 * cannot reach the journal.
 */
export function trustedNode(node: NodeType): NodeType {
  const held = (given: unknown): Outcome => {
    const fault = outcomeFault(node, given);
    if (fault === null) return given as Outcome;
    return {
      kind: 'failed',
      error: { type: 'internal', message: `The node ${node.type} ${fault}`, retryable: false },
    };
  };
  return Object.freeze({
    ...node,
    run(ctx, config, input) {
      const given: unknown = node.run(ctx, config, input);
      return given instanceof Promise ? given.then(held) : held(given);
    },
  } satisfies NodeType);
}

function outcomeFault(node: NodeType, given: unknown): string | null {
  if (typeof given !== 'object' || given === null) return 'gave no outcome; it takes done(…) or {kind: …}';
  const { kind, outputs, until, error } = given as Record<string, unknown>;
  if (kind === 'wait')
    return typeof until === 'number' && Number.isFinite(until) ? null : 'waits without a time (until, in ms)';
  if (kind === 'failed') {
    const { type, message } = (error ?? {}) as Record<string, unknown>;
    if (typeof message !== 'string') return 'failed without a message';
    return typeof type === 'string' && nodeErrorTypes.some((one) => one === type)
      ? null
      : `failed with a type that is none of ${nodeErrorTypes.join(', ')}`;
  }
  if (kind !== 'done') return 'gave an outcome of no known kind (done, wait, failed)';
  if (typeof outputs !== 'object' || outputs === null) return 'is done without outputs';
  const ports = new Set(node.outputs.map(({ name }) => name));
  for (const [port, value] of Object.entries(outputs)) {
    if (!ports.has(port) && node.dynamicOutputs === undefined)
      return `gave something at the port ${port}, which it does not have`;
    const fault = jsonFault(value);
    if (fault !== null) return `gave ${fault} at the port ${port}; an output is JSON`;
  }
  return null;
}

/** What of a value is not JSON; null: all of it is. */
function jsonFault(value: unknown): string | null {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const one = next.value;
    if (one === null || typeof one === 'string' || typeof one === 'boolean') continue;
    if (typeof one === 'number') {
      if (!Number.isFinite(one)) return String(one);
      continue;
    }
    if (typeof one !== 'object') return one === undefined ? 'undefined' : `a ${typeof one}`;
    const { prototype } = Object;
    const parent: unknown = Object.getPrototypeOf(one);
    if (!Array.isArray(one) && parent !== prototype && parent !== null) return 'an object of a class';
    // A cycle has no end of levels either.
    if (next.depth >= 200) return 'more than 200 levels';
    for (const below of Object.values(one) as Json[]) {
      if (++count > MAX_VALUES) return 'too many values';
      open.push({ value: below, depth: next.depth + 1 });
    }
  }
  return null;
}
