import { expect, test } from 'vitest';
import { toFileName } from '../download.ts';
import { toWorkflowFile, readWorkflowFile } from './workflow-file.ts';

const definition = { nodes: [], connections: [] };

test('a response of the service becomes a request that creates the same workflow', () => {
  const text = JSON.stringify({
    id: 'wf_1',
    name: 'Orders',
    description: 'd',
    status: 'active',
    version: 7,
    definition,
    settings: { timeout: '1m' },
    tags: ['a'],
    issues: [],
  });
  expect(readWorkflowFile(text)).toEqual([
    { name: 'Orders', description: 'd', definition, settings: { timeout: '1m' }, tags: ['a'] },
  ]);
});

test('a copy does not belong to a group of weft apply', () => {
  const workflow = { name: 'Orders', tags: ['a', 'apply:shop'] } as unknown as Parameters<
    typeof toWorkflowFile
  >[0];
  expect(toWorkflowFile(workflow).tags).toEqual(['a']);
});

test('a list, and a bare definition', () => {
  expect(
    readWorkflowFile(
      JSON.stringify([
        { name: 'a', definition },
        { name: 'b', definition },
      ]),
    ),
  ).toHaveLength(2);
  expect(readWorkflowFile(JSON.stringify(definition))).toEqual([{ name: 'Imported workflow', definition }]);
});

test.each([
  ['{', /Not valid JSON/],
  ['[]', /no workflows/],
  ['3', /must be an object/],
  ['[{"name":"a","definition":{}}, []]', /Entry 2 must be an object/],
  ['{"definition":{}}', /no name/],
  ['{"name":" ","definition":{}}', /no name/],
  ['{"name":"a","definition":null}', /no definition/],
])('%s is refused in words', (text, words) => {
  expect(() => readWorkflowFile(text)).toThrow(words);
});

test('file names', () => {
  expect(toFileName('Orders: daily / Köln')).toBe('orders-daily-köln');
  expect(toFileName('///')).toBe('untitled');
});
