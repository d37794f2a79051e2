import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { createNodeTypes } from '../../nodes/catalog.ts';
import { validateConfig } from '../../nodes/validate-config.ts';
import { builtinNodes } from '../../nodes/registry.ts';
import { checkDefinition } from './definition-check.ts';
import { runToEnd } from '../../lib/async/time-slice.ts';
import { limits } from '../../ports/limits.ts';

const types = createNodeTypes(builtinNodes);
const odd: readonly Json[] = [
  null,
  0,
  true,
  '',
  'text',
  [],
  {},
  [null],
  [1],
  [[]],
  [{}],
  [{ name: 1, nodes: 'ab' }],
  [{ name: 'a' }],
  [{ name: 'a', nodes: [null, 1, {}] }],
];

/** A right configuration with each field of its own gone, or something odd in its place. */
function* bent(config: JsonObject): Generator<JsonObject> {
  yield {};
  for (const key of [...Object.keys(config), 'nodes', 'branches', 'cases', 'retryPolicy', 'timeout']) {
    const { [key]: _gone, ...rest } = config;
    yield rest;
    for (const value of odd) yield { ...rest, [key]: value };
  }
}

describe('a definition with invalid configurations', () => {
  test.each(builtinNodes.map((type) => [type.type, type] as const))(
    '%s: has errors, and is read to its end',
    (_, type) => {
      for (const { config } of [...type.examples, { config: {} }])
        for (const wrong of bent(config)) {
          const definition = {
            nodes: [
              { id: 'a', type: type.type, config: wrong },
              { id: 'b', type: 'merge', config: {} },
            ],
            connections: [{ from: 'a', to: 'b' }],
          };
          expect(
            () => runToEnd(checkDefinition(definition, types, validateConfig)),
            `${type.type} ${JSON.stringify(wrong)}`,
          ).not.toThrow();
        }
    },
  );

  test('a body that is missing or not a list of node ids is a content error', () => {
    for (const nodes of [undefined, null, 'b', 5, [1], {}]) {
      const config = {
        condition: { field: 'a', operator: 'exists' },
        ...(nodes === undefined ? {} : { nodes }),
      };
      const { form, issues } = runToEnd(
        checkDefinition(
          { nodes: [{ id: 'a', type: 'while', config: config as JsonObject }], connections: [] },
          types,
          validateConfig,
        ),
      );
      expect(form).toEqual([]);
      expect(issues).toContainEqual(
        expect.objectContaining({ node_id: 'a', field: expect.stringContaining('config.nodes') }),
      );
    }
  });
});

test('bodies can be nested up to a limit', () => {
  const findIssues = (depth: number) => {
    const loops = Array.from({ length: depth }, (_, i) => ({
      id: `loop${i}`,
      type: 'for_each',
      config: { items: [1], nodes: [i + 1 < depth ? `loop${i + 1}` : 'last'] },
    }));
    const nodes = [...loops, { id: 'last', type: 'merge', config: { mode: 'object' } }];
    const { form, issues } = runToEnd(checkDefinition({ nodes, connections: [] }, types, validateConfig));
    expect(form).toEqual([]);
    return issues;
  };
  expect(findIssues(limits.nestedBodies)).toEqual([]);
  expect(findIssues(limits.nestedBodies + 2)).toEqual([
    { node_id: 'loop100', field: 'config', issue: 'has a body that is nested more than 100 levels deep' },
  ]);
});
