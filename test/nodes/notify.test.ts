import { afterEach, expect, it } from 'vitest';
import type { Json } from '../../src/lib/json/json.ts';
import { createAttempt, closeRunners, makeRunner } from '../support/node-runner.ts';
import { validateConfig } from '../../src/nodes/validate-config.ts';
import { notify } from '../../src/nodes/flow/notify.node.ts';

afterEach(closeRunners);

it('passes its input on and sends the configured message', async () => {
  const { runner, errors } = makeRunner();
  const deep = JSON.parse(`${'['.repeat(60)}1${']'.repeat(60)}`) as Json;
  for (const input of [null, 0, '', [], {}, deep, { text: 'x'.repeat(5_000_000) }]) {
    const text: [string, string][] = [];
    const attempt = createAttempt(
      notify,
      { level: 'warning', message: 'It was {{ input | json | truncate: 50 }}' },
      { input: input as Json, log: (level, message) => void text.push([level, message]) },
    );
    const outcome = await runner.run(attempt);
    expect(outcome).toMatchObject({ kind: 'done' });
    if (outcome.kind === 'done') expect(outcome.outputs['out']).toBe(input);
    expect(text).toEqual([['warning', expect.stringMatching(/^It was /)]]);
  }
  expect(errors).toEqual([]);
});

it('a message that is empty, too long or no text at all is refused', async () => {
  const { runner } = makeRunner();
  for (const [message, input] of [
    ['{{ input.text }}', { text: '' }],
    ['{{ input.text }}', { text: 'x'.repeat(10_001) }],
    ['{{ input.text }}', { text: { a: 1 } }],
  ] as const)
    expect(await runner.run(createAttempt(notify, { message }, { input }))).toMatchObject({
      kind: 'failed',
      error: { type: 'validation', message: expect.stringContaining('message') },
    });
  expect(validateConfig(notify, { message: 'x', level: 'loud' })).toMatchObject([{ field: 'level' }]);
  expect(validateConfig(notify, {})).toMatchObject([{ field: 'message' }]);
});
