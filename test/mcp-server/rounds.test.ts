import { expect, test } from 'vitest';
import { sendMcpRequest } from '../support/ai/mcp-request.ts';
import { completeWith, createToolWorkflows } from '../support/ai/tool-workflows.ts';
import { useService } from '../support/use-service.ts';

const fixture = useService({ WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' });
const CLIENTS = 8;
const CALLS = 8;
const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };

/*
 * Each response arrives as soon as the execution waits, so that the next wait begins while the engine still writes. An execution
 * that waits must be stored as waiting then, too.
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
