import { nodeErrorTypes } from '../contract/execution.ts';
import { nodeCategories, type NodeType, type Outcome } from '../contract/node-type.ts';
import { secretDestinations } from '../contract/secret-fields.ts';
import { isObject, type Json } from '../lib/json/json.ts';
import { validateConfig, validateValue } from './validate-config.ts';

/** All fields of a node type. */
const FIELDS: ReadonlySet<string> = new Set<keyof NodeType>([
  'type',
  'version',
  'name',
  'category',
  'description',
  'icon',
  'keywords',
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
/** Maximum number of values checked in one output; the engine limits larger outputs. */
const MAX_VALUES = 5_000_000;

const MAX_KEYWORDS = 50;
const MAX_KEYWORD_LENGTH = 50;

/** Validates the default export of a trusted node file. Returns the error, or null if it is a node type. */
export function checkTrustedNode(given: unknown): string | null {
  if (typeof given !== 'object' || given === null || !Object.isFrozen(given) || !('isTrigger' in given))
    return 'its default export must be created with defineNode of weft/node-kit';
  const node = given as Record<string, unknown>;
  const unknown = Object.keys(node).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) return `${unknown} is not a field of a node type`;
  const { type, version, name, description, icon, category, effects, isTrigger, timeout, run, examples } =
    node;
  if (typeof type !== 'string' || !/^[A-Za-z][A-Za-z0-9_.-]{0,99}$/.test(type))
    return 'type must be a name of at most 100 letters, digits, "_", "." and "-" that starts with a letter';
  if (typeof version !== 'string' || !/^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2}$/.test(version))
    return 'version must have the form major.minor.patch, such as 1.0.0';
  for (const [field, value] of Object.entries({ name, description, icon }))
    if (typeof value !== 'string' || value === '' || value.length > 2_000)
      return `${field} must be a string of 1 to 2000 characters`;
  if (typeof category !== 'string' || !CATEGORIES.includes(category))
    return `category must be one of ${CATEGORIES.join(', ')}`;
  if (!isKeywords(node['keywords']))
    return `keywords must be at most ${MAX_KEYWORDS} strings of 1 to ${MAX_KEYWORD_LENGTH} characters`;
  if (effects !== 'none' && effects !== 'external') return 'effects must be none or external';
  if (isTrigger !== false) return 'isTrigger must be false: trusted nodes cannot be triggers';
  if (timeout !== null && !(typeof timeout === 'number' && Number.isSafeInteger(timeout) && timeout > 0))
    return 'timeout must be more than 0 milliseconds';
  if (typeof run !== 'function') return 'run must be a function';
  return (
    findPortsError(node) ??
    findSecretsError(node['secrets']) ??
    findExamplesError(examples) ??
    findSchemaError(given as NodeType)
  );
}

function isKeywords(given: unknown): boolean {
  return (
    Array.isArray(given) &&
    given.length <= MAX_KEYWORDS &&
    given.every((word) => typeof word === 'string' && word !== '' && word.length <= MAX_KEYWORD_LENGTH)
  );
}

function findPortsError({ inputs, outputs }: Record<string, unknown>): string | null {
  for (const [field, ports] of Object.entries({ inputs, outputs })) {
    if (!Array.isArray(ports) || ports.length === 0) return `${field} must be a list of at least one port`;
    const names = new Set<unknown>();
    for (const port of ports as unknown[]) {
      const { name, type, description } = isObject(port) ? port : {};
      if (typeof name !== 'string' || !/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name))
        return `${field}: each name must consist of letters, digits, "_" and "-"`;
      if (typeof type !== 'string' || typeof description !== 'string')
        return `${field}: ${name} must have a type and a description`;
      if (names.has(name)) return `${field}: ${name} must not be listed twice`;
      names.add(name);
    }
  }
  return null;
}

function findSecretsError(secrets: unknown): string | null {
  if (secrets === undefined) return null;
  if (!isObject(secrets as Json)) return 'secrets must be an object of fields';
  for (const [field, destination] of Object.entries(secrets as Record<string, unknown>)) {
    if (!/^[^.]+(?:\.[^.]+)*$/.test(field))
      return `secrets: "${field}" must be a field such as headers or auth.token`;
    if (!secretDestinations.some((one) => one === destination))
      return `secrets: ${field} must be one of ${secretDestinations.join(', ')}`;
  }
  return null;
}

function findExamplesError(examples: unknown): string | null {
  if (!Array.isArray(examples)) return 'examples must be a list';
  for (const [i, example] of (examples as unknown[]).entries())
    if (
      !isObject(example) ||
      typeof example['title'] !== 'string' ||
      !isObject(example['config'] ?? null) ||
      !('input' in example)
    )
      return `examples[${i}] must have a title, a config and an input`;
  return null;
}

/** Compiles the schema at startup, so that a malformed schema cannot fail an execution. */
function findSchemaError(node: NodeType): string | null {
  const { type, properties } = node.config as { type?: unknown; properties?: unknown };
  if (type !== 'object' || typeof properties !== 'object') return 'config must be the schema of an object';
  try {
    const bare = { ...node, check: () => [] };
    validateConfig(bare, {});
    validateValue(bare, {});
    return null;
  } catch (error) {
    return `config must be a valid schema: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * Wraps a node and validates its outcomes: an invalid outcome fails the node run with a message that names
 * the node, and is never written to the journal.
 */
export function trustedNode(node: NodeType): NodeType {
  const held = (given: unknown): Outcome => {
    const problem = findOutcomeError(node, given);
    if (problem === null) return given as Outcome;
    return {
      kind: 'failed',
      error: { type: 'internal', message: `The node ${node.type} ${problem}`, retryable: false },
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

function findOutcomeError(node: NodeType, given: unknown): string | null {
  if (typeof given !== 'object' || given === null) return 'did not return an outcome: done(…) or {kind: …}';
  const { kind, outputs, until, error } = given as Record<string, unknown>;
  if (kind === 'wait')
    return typeof until === 'number' && Number.isFinite(until)
      ? null
      : 'returned a wait without a time (until, in ms)';
  if (kind === 'failed') {
    const { type, message } = (error ?? {}) as Record<string, unknown>;
    if (typeof message !== 'string') return 'failed without a message';
    return typeof type === 'string' && nodeErrorTypes.some((one) => one === type)
      ? null
      : `failed with an unknown error type; known are ${nodeErrorTypes.join(', ')}`;
  }
  if (kind !== 'done') return 'returned an outcome of an unknown kind; known are done, wait, failed';
  if (typeof outputs !== 'object' || outputs === null) return 'returned done without outputs';
  const ports = new Set(node.outputs.map(({ name }) => name));
  for (const [port, value] of Object.entries(outputs)) {
    if (!ports.has(port) && node.dynamicOutputs === undefined)
      return `returned a value for the undeclared port ${port}`;
    const problem = findNonJson(value);
    if (problem !== null) return `returned ${problem} on the port ${port}; outputs must be JSON`;
  }
  return null;
}

/** Describes the first part of a value that is not JSON, or returns null. */
function findNonJson(value: unknown): string | null {
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
    // This also detects cycles.
    if (next.depth >= 200) return 'a value nested more than 200 levels deep';
    for (const below of Object.values(one) as Json[]) {
      if (++count > MAX_VALUES) return 'too many values';
      open.push({ value: below, depth: next.depth + 1 });
    }
  }
  return null;
}
