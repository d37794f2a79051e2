import { expect, test } from 'vitest';
import type { Definition } from '../../src/contract/definition.ts';
import { buildGraph } from '../../src/engine/graph/graph-builder.ts';
import { runToEnd } from '../../src/lib/async/time-slice.ts';
import { createNodeTypes } from '../../src/nodes/catalog.ts';
import { validateConfig } from '../../src/nodes/validate-config.ts';
import { builtinNodes } from '../../src/nodes/registry.ts';
import { translateIssue } from '../../web/src/data/issue-text.ts';

const types = createNodeTypes(builtinNodes);

/** Issues that the service reports for common mistakes, as the text after the field. */
const definition = {
  nodes: [
    {
      id: 'start',
      type: 'trigger',
      config: { triggerType: 'schedule', cron: '0 9 * *', timezone: 'Berlin' },
    },
    { id: 'call', type: 'http_request', config: { url: '', method: 'FETCH', unknown: 1, timeout: '0s' } },
    { id: 'each', type: 'for_each', config: { items: [], nodes: ['gone'], concurrency: 0 } },
    { id: 'set', type: 'set', config: { fields: { a: '{{ nodes.gone.output }}' } } },
    { id: 'alone', type: 'sort', config: { by: [] } },
    { id: 'limit', type: 'limit', config: { items: 1, count: 1.5 } },
    { id: 'empty', type: 'code', config: {} },
  ],
  connections: [
    { from: 'start', to: 'call' },
    { from: 'call', to: 'each' },
    { from: 'each', to: 'set' },
  ],
} as unknown as Definition;

test('issues for common mistakes are translated', () => {
  const { issues } = runToEnd(buildGraph(definition, types));
  const ofConfigs = definition.nodes.flatMap(({ type, config = {} }) =>
    validateConfig(types.get(type)!, config),
  );
  const texts = [...new Set([issues, ofConfigs].flat().map(({ issue }) => issue))];
  expect(texts.length).toBeGreaterThan(8);
  expect(texts.filter((text) => translateIssue(text) === null)).toEqual([]);
});

test('the English translation of an issue is the issue', () => {
  for (const issue of [
    'must be one of GET, POST or PUT',
    'refers to an unknown node: "gone"',
    'must have at least 2 entries',
    'body must not be used twice',
    'form a cycle: a → b → a',
  ])
    expect(translateIssue(issue)).toBe(issue);
});
