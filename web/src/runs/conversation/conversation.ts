import type { NodeRun } from 'weft-client';

/** A tool call of a turn. `runs` are the runs of its nodes and of its approval, oldest first. */
export type ToolCall = {
  readonly name: string;
  readonly arguments: unknown;
  readonly runs: readonly NodeRun[];
  readonly status: NodeRun['status'] | 'refused';
  /** What the model got: the result, or why the call did not run. Undefined until then. */
  readonly result: unknown;
};

/** A turn of the model. `run` is the run of its language model, or the newest one of the turn. */
export type Turn = {
  readonly number: number;
  readonly run: NodeRun;
  /** It was kept from the execution that this one retries. */
  readonly isKept: boolean;
  readonly text: string;
  readonly tokens: { readonly input: number; readonly output: number } | null;
  /** US dollars. */
  readonly cost: number | null;
  readonly calls: readonly ToolCall[];
};

/** The turns of one run of an agent. */
export type Conversation = {
  readonly agent: NodeRun;
  readonly prompt: string;
  readonly turns: readonly Turn[];
  readonly tokens: number;
  readonly cost: number | null;
};

type Data = Readonly<Record<string, unknown>>;
type Part = {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
};
type Message = { readonly role: string; readonly content: unknown };

/** Reads the conversations of all agents that started. `nodes` are the loaded node runs of an execution. */
export function readConversations(nodes: readonly NodeRun[]): Conversation[] {
  return nodes
    .filter(({ type, start_time: start }) => type === 'agent' && start !== null)
    .map((agent) => readConversation(agent, nodes));
}

function readConversation(agent: NodeRun, nodes: readonly NodeRun[]): Conversation {
  const frames = groupFrames(agent.path, nodes);
  const models = [...frames]
    .filter(([key]) => /^\d+$/.test(key))
    .map(([key, runs]) => ({ number: Number(key), run: findModelRun(runs) }))
    .toSorted((a, b) => a.number - b.number);
  const turns = models.map(({ number, run }, i) => readTurn(number, run, models[i + 1]?.run, frames));
  const prompt = readMessages(models[0]?.run).findLast(({ role }) => role === 'user')?.content;
  const isPriced = turns.length > 0 && turns.every(({ cost, tokens }) => cost !== null || tokens === null);
  return {
    agent,
    prompt: typeof prompt === 'string' ? prompt : '',
    turns,
    tokens: turns.reduce((sum, { tokens }) => sum + (tokens?.input ?? 0) + (tokens?.output ?? 0), 0),
    cost: isPriced ? turns.reduce((sum, { cost }) => sum + (cost ?? 0), 0) : null,
  };
}

/** The runs in the body of an agent by the key of their frame: `2`, `2.0`, `2.0.approval`. */
function groupFrames(path: string, nodes: readonly NodeRun[]): Map<string, NodeRun[]> {
  const frames = new Map<string, NodeRun[]>();
  const start = `${path}[`;
  for (const run of nodes) {
    if (!run.path.startsWith(start) || !hasRun(run)) continue;
    const key = run.path.slice(start.length, run.path.indexOf(']', start.length));
    const runs = frames.get(key);
    if (runs === undefined) frames.set(key, [run]);
    else runs.push(run);
  }
  return frames;
}

/** A retry keeps the results of node runs, which then have no start. */
const isKept = ({ start_time: start, status }: NodeRun): boolean =>
  start === null && (status === 'completed' || status === 'failed');

const hasRun = (run: NodeRun): boolean => run.start_time !== null || isKept(run);

function findModelRun(runs: readonly NodeRun[]): NodeRun {
  return runs.findLast(({ output }) => isData(output) && isData(output['usage'])) ?? runs.at(-1)!;
}

function readTurn(
  number: number,
  run: NodeRun,
  next: NodeRun | undefined,
  frames: ReadonlyMap<string, readonly NodeRun[]>,
): Turn {
  const output: Data = isData(run.output) ? run.output : {};
  const usage = isData(output['usage']) ? output['usage'] : null;
  const parts = (Array.isArray(output['content']) ? output['content'] : []) as readonly Part[];
  const results = readResults(next);
  return {
    number,
    run,
    isKept: isKept(run),
    text: typeof output['text'] === 'string' ? output['text'] : joinText(parts),
    tokens:
      usage === null
        ? null
        : { input: toNumber(usage['input_tokens']), output: toNumber(usage['output_tokens']) },
    cost: typeof output['cost'] === 'number' ? output['cost'] : null,
    calls: parts
      .filter(({ type }) => type === 'tool_call')
      .map((part, i) => readCall(part, `${number}.${i}`, results, frames)),
  };
}

function readCall(
  { id = '', name = '', arguments: args }: Part,
  key: string,
  results: ReadonlyMap<string, Data>,
  frames: ReadonlyMap<string, readonly NodeRun[]>,
): ToolCall {
  const own = frames.get(key) ?? [];
  const approvals = frames.get(`${key}.approval`) ?? [];
  const result = results.get(id);
  const newest = own.at(-1) ?? approvals.at(-1);
  const isRefused = own.length === 0 && result !== undefined;
  return {
    name,
    arguments: args,
    runs: [...approvals, ...own],
    status: isRefused ? 'refused' : ((own.find(isFailed) ?? newest)?.status ?? 'pending'),
    result: result?.['result'] ?? (own.at(-1)?.status === 'completed' ? own.at(-1)?.output : undefined),
  };
}

/** A response that calls tools has its text in the parts only. */
const joinText = (parts: readonly Part[]): string =>
  parts.map(({ type, text = '' }) => (type === 'text' ? text : '')).join('');

const isFailed = ({ status }: NodeRun): boolean => status === 'failed';

/** The results of tools by the id of the call, as the next turn received them. */
function readResults(next: NodeRun | undefined): Map<string, Data> {
  const last = readMessages(next).findLast(({ role }) => role === 'tool')?.content;
  const parts = (Array.isArray(last) ? last : []).filter(isData);
  return new Map(parts.map((part) => [String(part['id']), part]));
}

function readMessages(run: NodeRun | undefined): readonly Message[] {
  const messages = isData(run?.input) ? run.input['messages'] : null;
  return (Array.isArray(messages) ? messages : []).filter(isData) as unknown as readonly Message[];
}

const toNumber = (value: unknown): number => (typeof value === 'number' ? value : 0);

function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
