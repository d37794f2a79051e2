import { describe, expect, test } from 'vitest';
import { FILTER_GROUPS } from '../../src/expressions/filters.ts';
import { complete, completeBarePath, applyCompletion } from '../../web/src/node-panel/model/completion.ts';
import { filters } from '../../web/src/node-panel/model/filters.ts';
import { previewLocally } from '../../web/src/node-panel/model/local-preview.ts';
import {
  resolvePath,
  parsePath,
  buildFieldScope,
  type TemplateScope,
} from '../../web/src/node-panel/model/template-scope.ts';

const scope: TemplateScope = {
  input: { name: 'Ada', address: { city: 'Paris', 'zip code': 75001 }, items: [{ sku: 'a' }] },
  trigger: { type: 'manual' },
  nodes: new Map<string, unknown>([
    ['order', { total: 12 }],
    ['later', undefined],
  ]),
  secrets: ['TOKEN'],
  loop: null,
};

/** `|` in the text is the cursor. */
function labels(marked: string, over: Partial<TemplateScope> = {}): string[] | null {
  const cursor = marked.indexOf('¦');
  const found = complete(marked.replace('¦', ''), cursor, { ...scope, ...over });
  return found === null ? null : found.options.map(({ label }) => label);
}

function taken(marked: string, label: string): string {
  const cursor = marked.indexOf('¦');
  const text = marked.replace('¦', '');
  const found = complete(text, cursor, scope);
  const option = found?.options.find((one) => one.label === label);
  if (found === null || option === undefined) throw new Error(`${label} is not offered for ${marked}`);
  const next = applyCompletion(text, found, option);
  return `${next.text.slice(0, next.cursor)}¦${next.text.slice(next.cursor)}`;
}

describe('suggestions', () => {
  test('names, then the fields of the input', () => {
    expect(labels('{{ ¦')).toEqual([
      'input',
      'trigger',
      'nodes',
      'secrets',
      'execution',
      'workflow',
      'name',
      'address',
      'items',
    ]);
    expect(labels('{{ na¦')).toEqual(['name']);
    expect(labels('{{ item¦', { loop: { item: 1, index: 0, hasItem: true } })).toEqual(['item', 'items']);
    expect(labels('{{ ¦', { secrets: [] })).not.toContain('secrets');
  });

  test('parts behind a dot, wherever the path leads', () => {
    expect(labels('a {{ input.address.¦ }} b')).toEqual(['city', 'zip code']);
    expect(labels('{{ nodes.¦')).toEqual(['order', 'later']);
    expect(labels('{{ nodes.order.t¦')).toEqual(['total']);
    expect(labels('{{ secrets.T¦')).toEqual(['TOKEN']);
    expect(labels('{{ input.items[0].¦')).toEqual(['sku']);
    expect(labels('{{ input.name == "x" && input.address.c¦')).toEqual(['city', 'zip code']);
  });

  test('secrets only in the fields that may read them', () => {
    const fields = ['headers', 'authentication.token', 'list.*.key'];
    const offered = (...location: (string | number)[]) =>
      labels('{{ ¦', buildFieldScope(scope, fields, location))?.includes('secrets');
    expect(offered('headers', 'x-key')).toBe(true);
    expect(offered('authentication', 'token')).toBe(true);
    expect(offered('list', 3, 'key')).toBe(true);
    expect(offered('authentication')).toBe(false);
    expect(offered('authentication', 'type')).toBe(false);
    expect(offered('body')).toBe(false);
    expect(labels('{{ secrets.¦', buildFieldScope(scope, fields, ['body']))).toBeNull();
  });

  test('filters behind a bar', () => {
    expect(labels('{{ name | up¦ }}')).toEqual(['upcase']);
    expect(labels('{{ a || b¦') ?? []).not.toContain('base64');
  });

  test('has no completions outside of braces, in a string literal, or for unknown values', () => {
    for (const text of ['¦', 'input.¦', '{{ name }} ¦', '{{ "in¦" }}', '{{ input.gone.¦', '{{ 1.¦'])
      expect([text, labels(text)]).toEqual([text, null]);
  });

  test('and how it is written', () => {
    expect(taken('Hi {{ na¦', 'name')).toBe('Hi {{ name¦ }}');
    expect(taken('{{ input.address.¦ }}', 'zip code')).toBe('{{ input.address["zip code"]¦ }}');
    expect(taken('{{ no¦', 'nodes')).toBe('{{ nodes.¦');
    expect(taken('{{ name | upc¦ }}', 'upcase')).toBe('{{ name | upcase¦ }}');
  });

  test('for a path without braces', () => {
    const found = completeBarePath('address.ci', 10, scope);
    expect(found).toMatchObject({ from: 8, to: 10, options: [{ label: 'city', insert: 'city' }] });
    expect(completeBarePath('', 0, scope)?.options.map(({ label }) => label)).toEqual([
      'name',
      'address',
      'items',
    ]);
  });
});

test('the filters equal those of the engine', () => {
  const known = FILTER_GROUPS.flatMap(({ functions }) => functions.map(({ name }) => name)).sort();
  expect(filters.map(([name]) => name).sort()).toEqual(known);
});

test('paths', () => {
  expect(parsePath('input.items[0]["odd name"].x-y')).toEqual(['input', 'items', 0, 'odd name', 'x-y']);
  for (const text of ['', 'a.', 'a b', 'a[b]', '1.a', 'a + b', 'f(x)'])
    expect([text, parsePath(text)]).toEqual([text, null]);
  expect(resolvePath(scope, ['nodes', 'order', 'total'])).toEqual({ found: true, value: 12 });
  expect(resolvePath(scope, ['input', 'constructor'])).toEqual({ found: false, value: undefined });
});

test('the value of a lone path is known here, all else is the service’s to tell', () => {
  expect(previewLocally('{{ input.address.city }}', scope)).toEqual({ value: 'Paris' });
  expect(previewLocally('{{ name }}', scope)).toEqual({ value: 'Ada' });
  for (const text of [
    '{{ name | upcase }}',
    'Hi {{ name }}',
    '{{ secrets.TOKEN }}',
    '{{ gone }}',
    ' {{ name }}',
  ])
    expect([text, previewLocally(text, scope)]).toEqual([text, null]);
});
