import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

const WEB = path.resolve(import.meta.dirname, '../../web/src');
const FUNCTIONS = new Set(['t', 'tPlural', 'tElements']);

type SyntaxNode = { type: string; start: number; end: number } & Record<string, unknown>;
type Source = { file: string; text: string; program: SyntaxNode };

/** A text that the editor translates. `plural`: the form for one; the text is the form for several. */
export type TranslatedText = { where: string; text: string; context?: string; plural?: string };

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

const listChildren = (node: SyntaxNode): SyntaxNode[] =>
  Object.values(node).flatMap((value) =>
    (Array.isArray(value) ? (value as unknown[]) : [value]).filter(isNode),
  );

/** Calls `visit` for a node and everything in it, until `visit` returns false. */
function walk(node: SyntaxNode, visit: (node: SyntaxNode, parents: readonly SyntaxNode[]) => boolean | void) {
  const step = (at: SyntaxNode, parents: readonly SyntaxNode[]): void => {
    if (visit(at, parents) === false) return;
    for (const child of listChildren(at)) step(child, [...parents, at]);
  };
  step(node, []);
}

const getName = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined;
  if (node.type === 'JSXNamespacedName') return undefined;
  return typeof node['name'] === 'string' ? node['name'] : undefined;
};

const getString = (node: unknown): string | undefined =>
  isNode(node) && node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined;

const isTranslation = (node: SyntaxNode): boolean =>
  node.type === 'CallExpression' && FUNCTIONS.has(getName(node['callee']) ?? '');

/** The sources of the editor, without the translation module and tests. */
export function listWebSources(): Source[] {
  return readdirSync(WEB, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|^i18n\/|^dev-reload/.test(file))
    .map((file) => parseSource(file, readFileSync(path.join(WEB, file), 'utf8')));
}

export function parseSource(file: string, text: string): Source {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  return { file, text, program: program as unknown as SyntaxNode };
}

const formatLine = ({ file, text }: Source, node: SyntaxNode): string =>
  `${file}:${text.slice(0, node.start).split('\n').length}`;

export const listPlaceholders = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!))].sort();

/** The names of the values of a call; undefined when they are not written out. */
function valueNames(values: unknown): string[] | undefined {
  if (values === undefined) return [];
  if (!isNode(values) || values.type !== 'ObjectExpression') return undefined;
  return (values['properties'] as SyntaxNode[])
    .map((property) => getName(property['key']) ?? '?')
    .filter((name) => name !== 'context')
    .sort();
}

/** All texts of the calls of `t`, `tPlural` and `tElements`, and what is wrong with a call. */
export function listTranslatedTexts(sources: readonly Source[]): {
  texts: TranslatedText[];
  problems: string[];
} {
  const texts: TranslatedText[] = [];
  const problems: string[] = [];
  for (const source of sources) {
    walk(source.program, (node) => {
      if (!isTranslation(node)) return;
      const where = formatLine(source, node);
      const given = node['arguments'] as SyntaxNode[];
      const isPlural = getName(node['callee']) === 'tPlural';
      const [one, text] = isPlural
        ? [getString(given[1]), getString(given[2])]
        : [undefined, getString(given[0])];
      if (text === undefined || (isPlural && one === undefined))
        return void problems.push(`${where}: the text must be a string literal`);
      const values = given[isPlural ? 3 : 1];
      const context = isNode(values)
        ? ((values['properties'] as SyntaxNode[] | undefined) ?? [])
            .filter((property) => getName(property['key']) === 'context')
            .map((property) => getString(property['value']))[0]
        : undefined;
      const used = listPlaceholders(isPlural ? `${one} ${text}` : text).filter(
        (name) => !isPlural || name !== 'count',
      );
      const named = valueNames(values);
      if (named === undefined || named.join() !== used.join())
        problems.push(
          `${where}: the values (${named?.join()}) differ from the placeholders (${used.join()})`,
        );
      if (used.includes('count')) problems.push(`${where}: {{count}} is for tPlural`);
      texts.push({
        where,
        text,
        ...(context === undefined ? {} : { context }),
        ...(one === undefined ? {} : { plural: one }),
      });
    });
  }
  return { texts, problems };
}

/** The catalog keys of the texts, with the English text of each. `forms`: plural forms of the language. */
export function listCatalogKeys(
  texts: readonly TranslatedText[],
  forms: readonly string[],
): Map<string, string> {
  return new Map(
    texts.flatMap(({ text, context, plural }): [string, string][] => {
      if (plural === undefined) return [[context === undefined ? text : `${text}_${context}`, text]];
      return forms.map((form) => [`${text}_${form}`, form === 'one' ? plural : text]);
    }),
  );
}

/** Attributes and properties whose value the user reads. */
const VISIBLE =
  /^(?:label|title|placeholder|alt|description|hint|lead|legend|empty|any|none|word|heading|detail|aria-?label|aria-roledescription|about|advice|cause|text)$/i;

const hasWord = (text: string): boolean => /[A-Za-z]{2}/.test(text);
/** Several words that begin with a capital letter, or a sentence. */
const isProse = (text: string): boolean =>
  /^[A-Z][a-z]*[',]? [A-Za-z“]/.test(text) || /[a-z] [a-z]+.*\.$/.test(text);

/** Texts that the user reads and that are not translated. `isAllowed`: names, samples and values. */
export function listUntranslatedTexts(
  sources: readonly Source[],
  isAllowed: (text: string) => boolean,
): string[] {
  const found: string[] = [];
  for (const source of sources) {
    const report = (node: SyntaxNode, text: string): void => {
      const words = text.replaceAll(/\s+/g, ' ').trim();
      if (!isAllowed(words)) found.push(`${formatLine(source, node)}: ${words}`);
    };
    /** Reports the literals that an expression may have as its value. */
    const read = (value: SyntaxNode): void => {
      const literal = getString(value);
      if (literal !== undefined && hasWord(literal)) report(value, literal);
      if (value.type === 'TemplateLiteral')
        for (const quasi of value['quasis'] as SyntaxNode[]) {
          const { cooked } = quasi['value'] as { cooked: string };
          if (hasWord(cooked)) report(value, cooked);
        }
      for (const part of ['expression', 'consequent', 'alternate', 'right'])
        if (
          isNode(value[part]) &&
          /^(?:JSXExpression|Conditional|Logical|Parenthesized|TSAs)/.test(value.type)
        )
          read(value[part]);
    };
    walk(source.program, (node, parents) => {
      if (node.type === 'ImportDeclaration' || /^TS(?!As|NonNull|Satisfies)/.test(node.type)) return false;
      if (isTranslation(node)) {
        for (const value of (node['arguments'] as SyntaxNode[]).filter(
          ({ type }) => type === 'ObjectExpression',
        ))
          walk(value, (part) => {
            if (part.type === 'JSXText' && hasWord(part['value'] as string))
              report(part, part['value'] as string);
          });
        return false;
      }
      const parent = parents.at(-1);
      if (node.type === 'JSXText' && hasWord(node['value'] as string)) report(node, node['value'] as string);
      if (node.type === 'JSXExpressionContainer' && parent?.type === 'JSXElement') read(node);
      const isVisible =
        (node.type === 'JSXAttribute' && VISIBLE.test(getName(node['name']) ?? '')) ||
        (node.type === 'Property' && VISIBLE.test(getName(node['key']) ?? getString(node['key']) ?? ''));
      if (isVisible && isNode(node['value'])) read(node['value']);
      const literal = getString(node);
      if (literal !== undefined && isProse(literal) && !isVisible && parent?.type !== 'NewExpression')
        report(node, literal);
      if (node.type === 'TemplateLiteral' && parent?.type !== 'NewExpression')
        for (const { value } of node['quasis'] as { value: { cooked: string } }[])
          if (isProse(value.cooked)) report(node, value.cooked);
      return undefined;
    });
  }
  return [...new Set(found)];
}
