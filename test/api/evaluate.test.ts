import { beforeAll, expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import { manual } from './definitions.ts';

const service = useService();
const { api } = service;
let execution: string;

beforeAll(async () => {
  const definition = {
    nodes: [
      manual,
      { id: 'each', type: 'for_each', config: { items: '{{ input.names }}', nodes: ['greet'] } },
      { id: 'greet', type: 'set', config: { fields: { text: 'Hi {{ item }}' } } },
      { id: 'late', type: 'set', config: { fields: { n: 1 } } },
    ],
    connections: [
      { from: manual.id, to: 'each' },
      { from: 'each', to: 'late' },
    ],
  };
  const made = await api('POST', '/workflows', { body: { name: 'x', definition } });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body as { id: string };
  const run = await api('POST', `/workflows/${id}/execute`, {
    body: { input: { names: ['Ada', 'Bo'] }, wait: '20s' },
  });
  expect(run.body).toMatchObject({ status: 'completed' });
  execution = (run.body as { id: string }).id;
  await api('PUT', '/secrets/TOKEN', { body: { value: 'a-secret-value' } });
});

async function evaluate(body: object): Promise<unknown> {
  const response = await api('POST', '/evaluate', { body });
  const { value, error } = response.body as {
    value?: unknown;
    error?: { details: { field: string; issue: string } };
  };
  return error === undefined ? value : `${response.status} ${error.details.field}: ${error.details.issue}`;
}

test('sees what a node run saw', async () => {
  const at = (location: object, template: string) =>
    evaluate({ template, execution_id: execution, ...location });
  expect(await at({ node_id: 'late' }, '{{ nodes.each | keys }}')).toEqual(['results']);
  expect(await at({ path: 'each[0]/greet' }, '{{ item }}, {{ index }}')).toBe('Ada, 0');
  expect(await at({ node_id: 'greet' }, '{{ item }}')).toBe('Bo');
  expect(await at({}, '{{ input.names }}')).toEqual(['Ada', 'Bo']);
  expect(await at({}, '{{ trigger.type }} {{ execution.id }}')).toBe(`manual ${execution}`);
  expect(
    await at({ node_id: 'late', input: 7, nodes: { each: 'other' } }, '{{ input }} {{ nodes.each }}'),
  ).toBe('7 other');
  expect(await at({ node_id: 'nobody' }, 'x')).toBe('400 node_id: names no node run of the execution');
  expect(await at({ path: 'each[9]/greet' }, 'x')).toBe('400 path: names no node run of the execution');
  expect(await at({ node_id: 'late', path: 'each[0]/greet' }, 'x')).toBe(
    '400 path: names no node run of the execution',
  );
});

test('reports the error without secrets', async () => {
  expect(await evaluate({ template: 'a {{ input. }}', input: {} })).toMatch(/^400 template: .+ \(at \d+\)$/);
  expect(await evaluate({ template: '{{ input.gone.far }}', input: {} })).toMatch(/^400 template: .*gone/);
  expect(await evaluate({ template: '{{ range | size }}', input: { range: [1] } })).toBe(1);
  expect(await evaluate({ template: 'Bearer {{ secrets.TOKEN }}' })).toBe('Bearer •••');
  expect(await evaluate({ template: '{{ secrets.NONE }}' })).toMatch(/^400 template: .*NONE/);
  expect(await evaluate({ template: '{{ input }}', input: 'has a-secret-value in it' })).toBe(
    'has ••• in it',
  );
  expect(await evaluate({ template: 'x', path: 'a' })).toBe('400 path: needs execution_id beside it');
  expect(
    await evaluate({ template: '{{ value * 2 }} {{ item }} {{ index }}', value: 4, item: 'i', index: 3 }),
  ).toBe('8 i 3');
});

test('another owner’s execution is not there', async () => {
  await api('POST', '/users', {
    body: { email: 'other@example.com', password: 'another-password' },
  });
  const login = await service.weft.call('POST', '/auth/login', {
    body: { email: 'other@example.com', password: 'another-password' },
  });
  const { token } = login.body as { token: string };
  const response = await service.weft.call('POST', '/evaluate', {
    body: { template: '{{ input }}', execution_id: execution },
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(404);
});
