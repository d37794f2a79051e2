import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NodeEntry } from '../../src/contract/definition.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { EngineFixture } from '../support/engine-fixture.ts';

let fixture: EngineFixture;
beforeEach(async () => (fixture = await new EngineFixture().open()));
afterEach(() => fixture.close());

const node = (id: string, type: string, config: JsonObject): NodeEntry => ({ id, type, config });
const merge = (id: string) => node(id, 'merge', { mode: 'object' });
const pass = (id: string) => node(id, 'delay', { duration: '0s' });
const parse = (id: string) => node(id, 'set', { fields: { a: '{{ input.s | parse_json }}' } });
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

async function ended(workflow: string, input: Parameters<EngineFixture['start']>[1] = {}) {
  const { watch } = await fixture.start(workflow, input);
  let end: Awaited<typeof watch.ended> | undefined;
  void watch.ended.then((message) => (end = message));
  await fixture.until('the end', () => end !== undefined);
  expect(fixture.engine.health().active).toBe(0);
  expect(fixture.reports).toEqual([]);
  return end!;
}

test('a text that parses to a deeper value fails its node, whatever the depth', async () => {
  const workflow = await fixture.save([parse('p')], ['start > p']);
  expect(await ended(workflow, { s: deep(198) })).toMatchObject({ status: 'completed' });
  for (const levels of [201, 10_000])
    expect(await ended(workflow, { s: deep(levels) })).toMatchObject({
      status: 'failed',
      error: { node_id: 'p', message: 'fields.a: parse_json: the value is nested deeper than 200 levels' },
    });
});

test('nodes in a chain that each wrap their input end at the limit of depth', async () => {
  const ids = Array.from({ length: 1_000 }, (_, i) => `m${i}`);
  const workflow = await fixture.save(
    ids.map(merge),
    ids.map((id, i) => `${i === 0 ? 'start' : ids[i - 1]} > ${id}`),
  );
  expect(await ended(workflow, { a: 1 })).toMatchObject({
    status: 'failed',
    error: { type: 'limit', node_id: 'm198', message: "The node's output is nested deeper than 200 levels" },
  });
});

test('an input that doubles at every diamond ends at the limit of size', async () => {
  const nodes: NodeEntry[] = [];
  const connections: string[] = [];
  for (let i = 0; i < 40; i++) {
    nodes.push(pass(`l${i}`), pass(`r${i}`), pass(`j${i}`));
    const before = i === 0 ? 'start' : `j${i - 1}`;
    connections.push(`${before} > l${i}`, `${before} > r${i}`, `l${i} > j${i}`, `r${i} > j${i}`);
  }
  const workflow = await fixture.save(nodes, connections);
  expect(await ended(workflow, { text: 'x'.repeat(10_000) })).toMatchObject({
    status: 'failed',
    error: { type: 'limit', node_id: 'j12', message: 'The combined input is larger than 67108864 bytes' },
  });
});

test('the results of a body, and what several end nodes give, are bounded', async () => {
  const list = { type: 'for_each', config: { items: '{{ input.items }}', nodes: ['x'] } };
  const loop = await fixture.save(
    [{ id: 'l', ...list }, node('x', 'set', { fields: { big: '{{ trigger.text }}' } })],
    ['start > l'],
  );
  const items = Array.from({ length: 70 }, (_, i) => i);
  expect(await ended(loop, { items, text: 'x'.repeat(1_000_000) })).toMatchObject({
    status: 'failed',
    error: { type: 'limit', node_id: 'l', message: "The node's output is larger than 67108864 bytes" },
  });

  const ids = items.map((i) => `n${i}`);
  const ends = await fixture.save(
    ids.map(pass),
    ids.map((id) => `start > ${id}`),
  );
  expect(await ended(ends, { text: 'x'.repeat(1_000_000) })).toMatchObject({
    status: 'failed',
    error: { type: 'limit', message: 'The combined output of the end nodes is larger than 67108864 bytes' },
  });
});

test('a value that cannot be encoded ends only its own execution', async () => {
  const workflow = await fixture.save([node('p', 'probe', {}), pass('after')], ['start > p', 'p > after']);
  fixture.probes.set('p', () => ({ kind: 'done', outputs: { out: 1n as never } }));
  const { id, watch } = await fixture.start(workflow);
  expect(await watch.ended).toMatchObject({ status: 'failed', error: { type: 'internal' } });
  expect(fixture.reports.map(String)).toEqual(['TypeError: Do not know how to serialize a BigInt']);
  expect(await fixture.view(id)).toMatchObject({ status: 'failed', output: null });

  await expect(fixture.start(workflow, { a: 1n as never })).rejects.toThrow('BigInt');
  expect(fixture.engine.health().active).toBe(0);
  fixture.probes.delete('p');
  expect(await (await fixture.start(workflow)).watch.ended).toMatchObject({ status: 'completed' });
});
