import type { Json, JsonObject } from '../lib/json/json.ts';

/**
 * What the names in a template stand for. Nothing is copied or collected beforehand: a path walks from here
 * over own properties, and `nodes` and `secrets` are asked only for the names that a template holds.
 */
export interface TemplateScope {
  /** The input of the node. A first name that is not listed here is looked up in it. */
  readonly input: Json;
  /** The trigger of the execution. */
  readonly trigger?: Json;
  /** The output of an earlier node, or undefined when it has none. */
  readonly nodes?: (id: string) => Json | undefined;
  /** The value of a stored secret, or undefined when it does not exist. */
  readonly secrets?: ((name: string) => string | undefined) | undefined;
  /** Called only when a template reads it. */
  readonly execution?: () => JsonObject;
  readonly workflow?: JsonObject;
  /**
   * The element and its position in a loop's body. When absent or undefined, the names are looked up in
   * `input`.
   */
  readonly item?: Json | undefined;
  readonly index?: number | undefined;
  /** The value in a transform. When absent or undefined, the name is looked up in `input`. */
  readonly value?: Json | undefined;
  /** Now, in milliseconds since 1970. */
  readonly now: number;
}

/** Names that always refer to the scope. */
const FIXED = new Set(['input', 'trigger', 'nodes', 'secrets', 'execution', 'workflow']);
/** Names that refer to the scope only if it has them. */
const OPTIONAL = new Set(['item', 'index', 'value']);

/** Whether a name is reserved, so that a macro variable must not use it. */
export function isScopeName(name: string): boolean {
  return FIXED.has(name) || OPTIONAL.has(name);
}

/** Reads the root of a path; undefined when it is missing. */
export type Root = (scope: TemplateScope) => Json | undefined;

const ROOTS: ReadonlyMap<string, Root> = new Map<string, Root>([
  ['input', (scope) => scope.input],
  ['trigger', (scope) => scope.trigger],
  ['execution', (scope) => scope.execution?.()],
  ['workflow', (scope) => scope.workflow],
  ['item', (scope) => (scope.item === undefined ? readInputField(scope, 'item') : scope.item)],
  ['index', (scope) => (scope.index === undefined ? readInputField(scope, 'index') : scope.index)],
  ['value', (scope) => (scope.value === undefined ? readInputField(scope, 'value') : scope.value)],
]);

/** The root of a first name other than `nodes` and `secrets`. */
export function findRoot(name: string): Root {
  return ROOTS.get(name) ?? ((scope) => readInputField(scope, name));
}

export function createNodeRoot(id: string): Root {
  return (scope) => scope.nodes?.(id);
}

export function createSecretRoot(name: string): Root {
  return (scope) => scope.secrets?.(name);
}

/** Whether a first name is looked up in `input`, which error messages mention. */
export function isInputName(name: string): boolean {
  return !FIXED.has(name);
}

function readInputField(scope: TemplateScope, name: string): Json | undefined {
  const input = scope.input;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  return Object.hasOwn(input, name) ? input[name] : undefined;
}
