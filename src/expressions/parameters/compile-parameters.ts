import { compilePlaceholder, References } from '../compiler/compile.ts';
import { TemplateError } from '../errors.ts';
import type { Expression } from '../compiler/expression.ts';
import { probePath, readScope, type ScopePath } from '../compiler/path.ts';
import type { Placeholder } from '../compiler/tokenizer.ts';
import { scanTemplate } from '../compiler/tokenizer.ts';

/* Compiles the texts of a template body into the parts between and around their parameters. */

/** The first name of every parameter path. */
export const ROOT = 'parameters';
/**
 * `secrets[parameters.NAME]`: the name of a secret is written out when the workflow runs, so it is put in as
 * it is.
 */
const SECRET = /\bsecrets\s*\[\s*parameters\s*\.\s*([A-Za-z_]\w*)\s*\]/;

/** Parameters in one field of a body: `pointer` is the field, `names` are its distinct parameters. */
export type ParameterUse = { readonly pointer: string; readonly names: readonly string[] };

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | KeptTemplate
  /** `plain`: the placeholder is only the parameter of this name. */
  | {
      readonly kind: 'value';
      readonly expression: Expression;
      readonly plain: string | null;
      readonly names: readonly string[];
    };

/** What is written between two pieces: a value as a literal, or the path to a secret (`expression` null). */
export type Insert = { readonly name: string; readonly expression: Expression | null };
/**
 * A placeholder of the workflow, in one piece more than inserts. `others` are the paths in it that are not
 * parameters.
 */
export type KeptTemplate = {
  readonly kind: 'kept';
  readonly pieces: readonly string[];
  readonly inserts: readonly Insert[];
  readonly others: readonly string[];
};

export type ParameterSlot = ParameterUse & { readonly parts: readonly Part[] };

/** Null when the text contains no parameter. @throws {TemplateError} */
export function compileText(text: string): Part[] | null {
  if (!text.includes('{{') || !text.includes(ROOT)) return null;
  const parts = scanTemplate(text).map((segment): Part => {
    if (typeof segment === 'string') return { kind: 'text', text: segment };
    return compilePart(text.slice(segment.start, segment.end), segment);
  });
  return parts.some((part) => listNames(part).length > 0) ? parts : null;
}

function compilePart(raw: string, placeholder: Placeholder): Part {
  const untouched: KeptTemplate = { kind: 'kept', pieces: [raw], inserts: [], others: [] };
  if (!raw.includes(ROOT)) return untouched;
  const split = raw.split(new RegExp(SECRET, 'g'));
  if (split.length > 1) {
    const pieces = split.filter((_, i) => i % 2 === 0);
    const inserts = split.filter((_, i) => i % 2 === 1).map((name): Insert => ({ name, expression: null }));
    return checkPaths({ kind: 'kept', pieces, inserts, others: [] }, placeholder);
  }
  const references = new References();
  const expression = compilePlaceholder(placeholder, references);
  const own = references.paths.filter(({ path }) => path.name === ROOT);
  if (own.length === 0) return untouched;
  const names = own.map(({ path }) => readName(path, placeholder));
  if (own.length < references.paths.length) return compileMixed(raw, placeholder, own);
  const [first] = own;
  const isPlain =
    own.length === 1 &&
    first?.path.steps.length === 1 &&
    placeholder.filters.length === 0 &&
    first.path.text === placeholder.expression.text;
  return { kind: 'value', expression, plain: isPlain ? (names[0] ?? null) : null, names };
}

function readName(path: ScopePath, placeholder: Placeholder): string {
  const [first] = path.steps;
  if (first !== undefined && !first.isIndex) return first.key;
  throw new TemplateError(
    'parameters is used with a name behind it, such as parameters.url',
    placeholder.start,
  );
}

/** A placeholder that also reads runtime values: its parameters become literals. */
function compileMixed(raw: string, placeholder: Placeholder, own: References['paths']): KeptTemplate {
  const pieces: string[] = [];
  const inserts: Insert[] = [];
  let at = placeholder.start;
  for (const { path, start, end } of own.toSorted((a, b) => a.start - b.start)) {
    pieces.push(raw.slice(at - placeholder.start, start - placeholder.start));
    inserts.push({ name: readName(path, placeholder), expression: createProbe(path) });
    at = end;
  }
  pieces.push(raw.slice(at - placeholder.start));
  return checkPaths({ kind: 'kept', pieces, inserts, others: [] }, placeholder);
}

/** Reads the value at a path; null when an optional parameter has no value. */
function createProbe(path: ScopePath): Expression {
  return {
    run: (frame) =>
      path.steps.length === 1 ? (probePath(path, frame.scope) ?? null) : readScope(path, frame.scope),
    weight: 1,
    made: false,
  };
}

/** Adds the paths that remain when the parameters are literals. @throws {TemplateError} */
function checkPaths(kept: KeptTemplate, placeholder: Placeholder): KeptTemplate {
  const text = joinPieces(
    kept.pieces,
    kept.inserts.map(({ name, expression }) => (expression === null ? `secrets.${name}` : 'null')),
  );
  const others = listPaths(text);
  if (others.some((path) => path.startsWith(`${ROOT} `))) {
    throw new TemplateError('secrets[parameters.…] is used in a placeholder of its own', placeholder.start);
  }
  return { ...kept, others: kept.inserts.some(({ expression }) => expression === null) ? [] : others };
}

/**
 * Lists the paths that a text with one placeholder reads, prefixed with their first names. @throws
 * {TemplateError}
 */
export function listPaths(text: string): string[] {
  const segments = scanTemplate(text);
  const [only] = segments;
  const references = new References();
  if (segments.length !== 1 || typeof only !== 'object')
    throw new TemplateError('The placeholder cannot be read');
  compilePlaceholder(only, references);
  return references.paths.map(({ path }) => `${path.name} ${path.text}`);
}

export function listNames(part: Part): readonly string[] {
  if (part.kind === 'text') return [];
  return part.kind === 'kept' ? part.inserts.map(({ name }) => name) : part.names;
}

export function joinPieces(pieces: readonly string[], inserted: readonly string[]): string {
  return pieces.map((piece, i) => (i === 0 ? piece : `${inserted[i - 1]}${piece}`)).join('');
}
