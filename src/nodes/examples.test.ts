import { afterAll, describe, expect, it } from 'vitest';
import type { NodeContext, NodeExample, NodeType } from '../contract/node-type.ts';
import { compileConfig } from '../engine/template/config.ts';
import { createSandbox } from '../runner/sandbox/sandbox.ts';
import { checkConfig, checkValue } from './config-check.ts';
import { builtinNodes } from './registry.ts';
import { modeFinder } from './template-mode.ts';

const sandbox = createSandbox({ warn() {} });
afterAll(() => sandbox.close());

const now = Date.parse('2026-01-01T00:00:00Z');

function contextOf(resumed: NodeContext['resumed'], { deliveries = [] }: NodeExample): NodeContext {
  return {
    executionId: 'ex_1',
    workflowId: 'wf_1',
    nodeId: 'node',
    path: 'node',
    attempt: 1,
    idempotencyKey: 'key',
    signal: new AbortController().signal,
    deliveries,
    resumed,
    now: () => now,
    log() {},
    http: {
      send: () => Promise.reject(new Error('an example reached the network')),
      token: () => Promise.reject(new Error('an example reached the network')),
    },
    sql: { query: () => Promise.reject(new Error('an example reached the network')) },
    mail: { send: () => Promise.reject(new Error('an example reached the network')) },
    files: {
      save: () => Promise.reject(new Error('an example reached the files')),
      load: () => Promise.reject(new Error('an example reached the files')),
    },
    flow: {
      startChild: () => Promise.reject(new Error('an example reached another execution')),
      child: () => Promise.reject(new Error('an example reached another execution')),
      signal: () => Promise.resolve({ approved: true }),
      resumeUrl: () => '',
      notify() {},
      isConnected: () => true,
    },
    code: {
      run: (call) =>
        sandbox.run({ ...call, ownerId: 'owner', signal: new AbortController().signal, log() {} }),
    },
  };
}

function evaluate(type: NodeType, example: NodeExample): unknown {
  const mode = modeFinder(type.templates);
  const compiled = compileConfig(example.config, {
    skip: (field) => mode(field.replaceAll(/\[(\d+)\]/g, '.$1').split('.')),
  });
  expect(compiled.faults).toEqual([]);
  return compiled.evaluate({ input: example.input, trigger: example.input, secrets: () => 'a-secret', now });
}

for (const type of builtinNodes) {
  describe(`${type.type} ${type.version}`, () => {
    it('has examples, ports and texts', () => {
      expect(type.examples.length).toBeGreaterThan(0);
      expect(type.version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(type.description).toMatch(/\.$/);
      expect(type.icon).toMatch(/^[a-z][a-z0-9-]*$/);
      expect(type.inputs.length > 0).toBe(!type.isTrigger);
    });
    for (const example of type.examples) {
      it(example.title, async () => {
        expect(checkConfig(type, example.config)).toEqual([]);
        const config = evaluate(type, example);
        if (type.effects === 'external' || type.isTrigger || type.control !== undefined) {
          expect(checkValue(type, config)).toEqual([]);
          return;
        }
        const faults = checkValue(type, config);
        const outcome =
          faults.length > 0 ? null : await type.run(contextOf(null, example), config as never, example.input);
        if (example.failure !== undefined) {
          expect(outcome === null ? 'validation' : outcome.kind === 'failed' && outcome.error.type).toBe(
            example.failure,
          );
        } else {
          expect(faults).toEqual([]);
          expect(outcome).toMatchObject({ kind: 'done', outputs: example.outputs });
        }
      });
    }
  });
}
