// What a turn of an agent costs besides its model: the time from the response of the model to its next
// request. In between, the service stores the response, runs a tool without effects, and stores the start of
// the call. The baseline is a client that sends its next request as soon as it has the response.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FigureRow } from './report.ts';
import { createDataDir, startService } from './service.ts';
import { LIMITS } from './targets.ts';

const TURNS = 50;
const ROUNDS = 6;
/** Turns of a round that are not counted: their code is not compiled yet. */
const WARM_UP_ROUNDS = 2;

type Message = { readonly role: string };

const middle = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

/** A model that responds at once. `gaps`: ms from each response to the next request. */
async function startModel(): Promise<{ url: string; gaps: number[]; close: () => void }> {
  const gaps: number[] = [];
  let sentAt: number | null = null;
  const respond = (body: string, res: ServerResponse): void => {
    const { messages } = JSON.parse(body) as { messages: readonly Message[] };
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    const call = { id: `call_${turn}`, type: 'function', function: { name: 'look', arguments: '{}' } };
    const isLast = turn + 1 >= TURNS;
    const message = isLast ? { content: 'done' } : { content: null, tool_calls: [call] };
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(
      JSON.stringify({
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', ...message },
            finish_reason: isLast ? 'stop' : 'tool_calls',
          },
        ],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    );
    sentAt = isLast ? null : performance.now();
  };
  const receive = (req: IncomingMessage, res: ServerResponse): void => {
    if (sentAt !== null) gaps.push(performance.now() - sentAt);
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.once('end', () => respond(body, res));
  };
  const server = createServer(receive).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, gaps, close: () => server.close().closeAllConnections() };
}

async function callInALoop(url: string): Promise<void> {
  const messages: Message[] = [];
  while (messages.length < TURNS) {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify({ messages }) });
    await response.json();
    messages.push({ role: 'assistant' });
  }
}

const createDefinition = (baseUrl: string) => ({
  nodes: [
    { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
    {
      id: 'agent',
      type: 'agent',
      config: {
        prompt: 'x',
        model: ['chat'],
        maxTurns: TURNS,
        tools: [{ name: 'look', description: 'Looks.', nodes: ['look'] }],
      },
    },
    { id: 'chat', type: 'llm', config: { provider: 'openai_compatible', baseUrl, model: 'm' } },
    {
      id: 'look',
      type: 'data_transformer',
      config: { operations: [{ action: 'map', input: 'item', output: 'found', transform: '{{ true }}' }] },
    },
  ],
  connections: [{ from: 'start', to: 'agent' }],
});

export async function measureAgentTurns(say: (line: string) => void): Promise<FigureRow[]> {
  const model = await startModel();
  const service = await startService(createDataDir());
  try {
    const { id } = await service.rest<{ id: string }>('POST', '/workflows', {
      name: 'agent',
      definition: createDefinition(model.url),
    });
    const turns: number[] = [];
    const alone: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { status } = await service.rest<{ status: string }>('POST', `/workflows/${id}/execute`, {
        input: {},
        wait: '60s',
      });
      if (status !== 'completed') throw new Error(`the agent is ${status}`);
      const ofService = model.gaps.splice(0);
      await callInALoop(`${model.url}/chat/completions`);
      const ofClient = model.gaps.splice(0);
      if (round < WARM_UP_ROUNDS) continue;
      turns.push(...ofService);
      alone.push(...ofClient);
    }
    const [turn, request] = [middle(turns), middle(alone)];
    say(
      `agent: ${turns.length} turns, from response to next request p50 ${turn.toFixed(2)} ms; ` +
        `a client alone ${request.toFixed(2)} ms`,
    );
    return [{ what: 'agent: overhead of a turn p50', value: turn - request, unit: 'ms', limit: LIMITS.turn }];
  } finally {
    await service.remove();
    model.close();
  }
}
