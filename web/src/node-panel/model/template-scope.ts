import { isRecord, type FieldPath } from './field-path.ts';
import { t } from '../../i18n/index.ts';

/** The names that templates of a node can use, with their values in the displayed run. */
export type TemplateScope = {
  readonly input: unknown;
  readonly trigger: unknown;
  /** Outputs by node id; undefined for a node that is there but has none yet. */
  readonly nodes: ReadonlyMap<string, unknown>;
  /** Names; empty where none may be read. */
  readonly secrets: readonly string[];
  /** In a loop's body. `item` exists in a for_each body only; undefined until the loop has run. */
  readonly loop: { readonly item: unknown; readonly index: number; readonly hasItem: boolean } | null;
  /** The values that are examples: `input`, `trigger`, or the id of a node. Default: none. */
  readonly examples?: ReadonlySet<string>;
};

/** Names that always mean the same, and what they are. */
const FIXED_NAMES: Readonly<Record<string, string>> = {
  input: t('input of the node'),
  trigger: t('data of the trigger'),
  nodes: t('outputs of earlier nodes'),
  secrets: t('stored secrets'),
  execution: t('execution ID'),
  workflow: t('workflow ID and version'),
};

export type Root = { readonly name: string; readonly about: string };

export function listRoots(scope: TemplateScope): Root[] {
  const roots = Object.entries(FIXED_NAMES)
    .filter(([name]) => name !== 'secrets' || scope.secrets.length > 0)
    .map(([name, about]) => ({ name, about }));
  if (scope.loop !== null) roots.unshift({ name: 'index', about: t('index of the item') });
  if (scope.loop?.hasItem === true) roots.unshift({ name: 'item', about: t('current item of the loop') });
  return roots;
}

/** The root of a path; `found` is false for an unknown name. */
export function getRootValue(scope: TemplateScope, name: string): { found: boolean; value: unknown } {
  switch (name) {
    case 'input':
      return { found: scope.input !== undefined, value: scope.input };
    case 'trigger':
      return { found: scope.trigger !== undefined, value: scope.trigger };
    case 'nodes':
      return { found: true, value: Object.fromEntries(scope.nodes) };
    case 'secrets':
      return { found: true, value: Object.fromEntries(scope.secrets.map((secret) => [secret, '•••'])) };
    case 'execution':
      return { found: false, value: { id: '' } };
    case 'workflow':
      return { found: false, value: { id: '', version: 0 } };
    case 'item':
    case 'index':
      if (scope.loop !== null) return { found: true, value: scope.loop[name] };
  }
  if (isRecord(scope.input) && Object.hasOwn(scope.input, name))
    return { found: true, value: scope.input[name] };
  return { found: false, value: undefined };
}

/** Whether a template reads the item of a loop that has not run, so its result is unknown. */
export function referencesUnknownItem(text: string, { loop }: TemplateScope): boolean {
  return loop?.hasItem === true && loop.item === undefined && /\{\{[^}]*\bitem\b/.test(text);
}

/** Whether a template reads a value that is an example, so that its result is one, too. */
export function referencesExample(text: string, scope: TemplateScope): boolean {
  const { examples } = scope;
  if (examples === undefined || examples.size === 0) return false;
  return [...text.matchAll(/\{\{([^}]*)\}\}/g)].some(([, expression = '']) => {
    const nodes = [...expression.matchAll(/\bnodes\s*(?:\.\s*([\w$-]+)|\[\s*"([^"]+)"\s*\])/g)];
    if (nodes.some(([, name, quoted]) => examples.has(name ?? quoted ?? ''))) return true;
    if (/\btrigger\b/.test(expression)) return examples.has('trigger');
    // Every other name is looked up in the input.
    return nodes.length === 0 && examples.has('input');
  });
}

/** The scope of one field. `secretFields`: patterns of the fields that may read secrets. */
export function buildFieldScope(
  scope: TemplateScope,
  secretFields: readonly string[],
  fieldPath: FieldPath,
): TemplateScope {
  const mayRead = secretFields.some((pattern) => isCovered(fieldPath, pattern));
  return mayRead || scope.secrets.length === 0 ? scope : { ...scope, secrets: [] };
}

/** Whether a pattern such as `cases.*.name` matches a field or one of its ancestors. */
export function isCovered(fieldPath: FieldPath, pattern: string): boolean {
  const segments = pattern.split('.');
  return (
    segments.length <= fieldPath.length &&
    segments.every((segment, i) => segment === '*' || segment === String(fieldPath[i]))
  );
}

const SEGMENT_PATTERN = /\.\s*([A-Za-z_$][\w$-]*)|\[\s*(\d+)\s*\]|\[\s*("(?:[^"\\]|\\.)*")\s*\]/y;

/** The segments of a path such as `input.items[0]["odd name"]`; null if the text is not a path. */
export function parsePath(text: string): (string | number)[] | null {
  const first = /^\s*([A-Za-z_$][\w$-]*)/.exec(text);
  if (first === null) return null;
  const segments: (string | number)[] = [first[1]!];
  SEGMENT_PATTERN.lastIndex = first[0].length;
  for (let match = SEGMENT_PATTERN.exec(text); match !== null; match = SEGMENT_PATTERN.exec(text)) {
    const [whole, name, index, quoted] = match;
    if (whole === '') return null;
    if (name !== undefined) segments.push(name);
    else if (index !== undefined) segments.push(Number(index));
    else if (quoted !== undefined) segments.push(JSON.parse(quoted) as string);
    if (SEGMENT_PATTERN.lastIndex === text.length) return segments;
    const end = SEGMENT_PATTERN.lastIndex;
    if (/^\s*$/.test(text.slice(end))) return segments;
  }
  return segments.length === 1 && /^\s*$/.test(text.slice(first[0].length)) ? segments : null;
}

/** The value at a path; `found` is false if the value does not exist or is not known. */
export function resolvePath(
  scope: TemplateScope,
  segments: readonly (string | number)[],
): { found: boolean; value: unknown } {
  const [first, ...rest] = segments;
  if (typeof first !== 'string') return { found: false, value: undefined };
  let current = getRootValue(scope, first);
  for (const segment of rest) {
    const { value } = current;
    if (Array.isArray(value) && typeof segment === 'number' && segment < value.length)
      current = { found: current.found, value: (value as unknown[])[segment] };
    else if (isRecord(value) && typeof segment === 'string' && Object.hasOwn(value, segment))
      current = { found: current.found, value: value[segment] };
    else return { found: false, value: undefined };
  }
  return current;
}
