import { expect, test } from 'vitest';
import { sendMcpRequest } from '../support/ai/mcp-request.ts';
import { completeWith, createToolWorkflows } from '../support/ai/tool-workflows.ts';
import { waitUntil } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const fixture = useService({ WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' });
const CLIENTS = 8;
const CALLS = 8;
const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };

/*
 * Each response arrives as soon as the execution waits, so that the next wait begins while the engine still
 * writes. An execution that waits must be stored as waiting then, too.
 */
test('clients that respond at once are asked each further question', { timeout: 120_000 }, async () => {
  await createToolWorkflows(fixture.api, [
    {
      name: 'two_questions',
      nodes: [
        { id: 'first', type: 'wait_for_event' },
        { id: 'second', type: 'wait_for_event' },
        completeWith('{{ nodes.second.word }}'),
      ],
    },
  ]);
  const key = await fixture.api('POST', '/api-keys', { body: { name: 'clients' } });
  const headers = { 'x-api-key': (key.body as { key: string }).key };
  const send = (params: object) =>
    sendMcpRequest(fixture.weft.url, headers, 'tools/call', {
      name: 'two_questions',
      arguments: {},
      ...params,
      _meta: capabilities,
    });
  const respond = ({ requestState }: Record<string, unknown>, path: string, word: string) =>
    send({ requestState, inputResponses: { [path]: { action: 'accept', content: { word } } } });

  async function converse(client: number): Promise<void> {
    for (let call = 0; call < CALLS; call++) {
      const word = `${client}-${call}`;
      const first = await send({});
      expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { first: {} } });
      const second = await respond(first, 'first', 'one');
      expect(second).toMatchObject({ resultType: 'input_required', inputRequests: { second: {} } });
      expect(await respond(second, 'second', word)).toMatchObject({ content: [{ text: word }] });
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => converse(client)));
});

test(
  'responses to two questions of a task both arrive, also one directly after the other',
  { timeout: 120_000 },
  async () => {
    await createToolWorkflows(fixture.api, [
      {
        name: 'two_at_once',
        trigger: { taskSupport: 'required' },
        nodes: [
          { id: 'first', type: 'wait_for_event' },
          { id: 'second', type: 'wait_for_event' },
          { id: 'both', type: 'merge', config: { mode: 'object' } },
        ],
        connections: [
          { from: 'start', to: 'first' },
          { from: 'start', to: 'second' },
          { from: 'first', to: 'both' },
          { from: 'second', to: 'both' },
        ],
      },
    ]);
    const key = await fixture.api('POST', '/api-keys', { body: { name: 'tasks' } });
    const headers = { 'x-api-key': (key.body as { key: string }).key };
    const send = (method: string, params: Record<string, unknown>) =>
      sendMcpRequest(fixture.weft.url, headers, method, params);

    async function converse(client: number): Promise<void> {
      for (let call = 0; call < CALLS; call++) {
        const { taskId } = await send('tools/call', { name: 'two_at_once', arguments: {} });
        const read = () => send('tasks/get', { taskId });
        await waitUntil(read, ({ status }) => status === 'input_required');
        for (const path of ['first', 'second'])
          await send('tasks/update', {
            taskId,
            inputResponses: { [path]: { action: 'accept', content: { client, call } } },
          });
        const ended = await waitUntil(read, ({ status }) => status === 'completed');
        expect(ended).toMatchObject({
          result: { structuredContent: { first: { client, call }, second: { client, call } } },
        });
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, (_, client) => converse(client)));
  },
);
