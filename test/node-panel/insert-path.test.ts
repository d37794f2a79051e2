import { describe, expect, test } from 'vitest';
import { createInserter } from '../../web/src/node-panel/data/inserter.ts';
import { emptyView, listTreeRows, type TreeRoot } from '../../web/src/node-panel/data/tree-rows.ts';
import { insertPath, formatPath, type PathSegments } from '../../web/src/node-panel/model/insert-path.ts';
import { parsePath } from '../../web/src/node-panel/model/template-scope.ts';

const email: PathSegments = ['input', 'customer', 'email'];

describe('the path of a field', () => {
  test.each<[PathSegments, string]>([
    [['input'], 'input'],
    [email, 'input.customer.email'],
    [['nodes', 'http_request', 'body', 'id'], 'nodes.http_request.body.id'],
    [['input', 'items', 0, 'odd name'], 'input.items[0]["odd name"]'],
    [['nodes', '2nd', 'say "hi"'], String.raw`nodes["2nd"]["say \"hi\""]`],
  ])('%j', (segments, text) => {
    expect(formatPath(segments)).toBe(text);
    expect(parsePath(text)).toEqual(segments);
  });

  test.each<[string, string]>([
    ['¦', '{{ input.customer.email }}¦'],
    ['Dear ¦!', 'Dear {{ input.customer.email }}¦!'],
    ['Dear [name], hi', 'Dear {{ input.customer.email }}¦, hi'],
    ['{{ a }} ¦', '{{ a }} {{ input.customer.email }}¦'],
    ['{{¦', '{{ input.customer.email }}¦'],
    ['{{ ¦', '{{ input.customer.email }}¦'],
    ['{{¦}}', '{{ input.customer.email ¦}}'],
    ['{{ ¦ | upcase }}', '{{ input.customer.email¦ | upcase }}'],
    ['{{ [input.name] }}', '{{ input.customer.email¦ }}'],
  ])('inserted into %s', (marked, result) => {
    const from = marked.search(/[¦[]/);
    const to = marked.includes('[') ? marked.indexOf(']') - 1 : from;
    const next = insertPath(marked.replaceAll(/[¦[\]]/g, ''), { from, to }, email, false)!;
    expect(`${next.text.slice(0, next.cursor)}¦${next.text.slice(next.cursor)}`).toBe(result);
  });

  test('a field for bare paths gets one path in the input, and no other value', () => {
    const into = (segments: PathSegments) =>
      insertPath('total', { from: 2, to: 2 }, segments, true)?.text ?? null;
    expect(into(email)).toBe('customer.email');
    expect(into(['input', 'items', 0, 'sku'])).toBe('items[0].sku');
    expect(into(['input'])).toBe(null);
    expect(into(['nodes', 'shape', 'name'])).toBe(null);
  });
});

test('a path goes to the field that last had the focus, while it exists', () => {
  const inserter = createInserter();
  const received: PathSegments[] = [];
  const first = { insert: (segments: PathSegments) => received.push(segments) > 0 };
  const second = { insert: () => false };
  expect(inserter.insert(email)).toBe('no field');
  inserter.select(second);
  inserter.select(first);
  expect(inserter.insert(email)).toBe('inserted');
  inserter.remove(second);
  expect(inserter.insert(email)).toBe('inserted');
  expect(received).toEqual([email, email]);
  inserter.select(second);
  expect(inserter.insert(email)).toBe('refused');
  inserter.remove(second);
  expect(inserter.insert(email)).toBe('no field');
});

describe('the rows of the tree', () => {
  const root: TreeRoot = {
    label: 'Input',
    segments: ['input'],
    value: { a: { b: { c: 1 } }, none: {}, list: Array.from({ length: 250 }, (_, i) => i) },
    isOpen: true,
  };
  const ids = (open: Record<string, boolean>, counts: Record<string, number> = {}) =>
    listTreeRows([root], {
      open: new Map(Object.entries(open)),
      counts: new Map(Object.entries(counts)),
    }).map(({ id }) => id);

  test('the first two levels are open at first', () => {
    expect(ids({ 'input.list': false })).toEqual([
      'input',
      'input.a',
      'input.a.b',
      'input.none',
      'input.list',
    ]);
    expect(ids({ 'input.list': false, 'input.a.b': true })).toContain('input.a.b.c');
    expect(ids({ input: false })).toEqual(['input']);
  });

  test('a long list is shown in parts', () => {
    const rows = listTreeRows([root], emptyView);
    expect(rows.at(-1)).toMatchObject({ more: 150, parent: 'input.list', level: 3 });
    expect(rows.at(-2)?.id).toBe('input.list[99]');
    expect(ids({}, { 'input.list': 600 }).at(-1)).toBe('input.list[249]');
  });
});
