import { createRedisBackend, type BackendFactory, type RedisQueueBackend } from 'bullmq';
import type { Redis } from 'ioredis';

/** Calls that Redis does in one go at most, for it serves nobody else meanwhile: some 40 µs each. */
const MANY = 128;

type Value = string | number | Buffer | null | undefined;
type Call = {
  readonly values: readonly Value[];
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
};
/** A script as BullMQ defined it. */
type Script = { readonly lua: string; readonly numberOfKeys: number };

export type ManyInOne = {
  readonly backend: BackendFactory<RedisQueueBackend>;
  /** Whether the next job is here already, for it was taken with the one before. */
  isMoreTaken(): boolean;
};

/**
 * BullMQ's way to Redis, but that what many executions need at once goes there as one call. The scripts are those of BullMQ, as
 * they are: each runs as a function, once for each execution.
 *
 * `room`: how many jobs are taken at most when one is asked for.
 */
export function manyInOne(connection: Redis, room: () => number = () => 1): ManyInOne {
  const waiting = new Map<string, Call[]>();
  /** In the order in which they were taken; the last one may be that there was none. */
  let taken: unknown[] = [];

  function send(script: string): void {
    const calls = waiting.get(script)!;
    waiting.delete(script);
    while (calls.length > 0) void runEach(connection, script, calls.splice(0, MANY));
  }

  /** With the others of this turn of the event loop. */
  function together(script: string, values: Value[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const calls = waiting.get(script);
      if (calls === undefined) {
        waiting.set(script, [{ values, resolve, reject }]);
        setImmediate(send, script);
      } else calls.push({ values, resolve, reject });
    });
  }

  async function next(script: string, values: Value[]): Promise<unknown> {
    if (taken.length === 0) taken = await runUntilNone(connection, script, values, room());
    return taken.shift();
  }

  return {
    backend(name, options, more) {
      const backend = createRedisBackend(name, options, more);
      const one = backend.execCommand.bind(backend);
      backend.execCommand = (client, script, values: Value[]) => {
        if (script === 'moveToActive') return next(script, values);
        if (script === 'addStandardJob' || script === 'moveToFinished') return together(script, values);
        return one(client, script, values) as unknown;
      };
      backend.addJobs = async (entries) =>
        Promise.all(entries.map(async (each) => backend.addJob(each.job, each.jobId, each.parentKeyOpts)));
      return backend;
    },
    isMoreTaken: () => taken.length > 0,
  };
}

/** Answers each call with its own answer. One that fails fails alone. */
async function runEach(connection: Redis, script: string, calls: readonly Call[]): Promise<void> {
  try {
    const { numberOfKeys } = scriptOf(connection, script);
    const keys = columnsOf(calls, 0, numberOfKeys);
    const rest = columnsOf(calls, numberOfKeys, calls[0]!.values.length);
    const answers = (await run(connection, script, 'each', EACH, [
      keys.values.length,
      ...keys.values,
      ...rest.values,
      calls.length,
      keys.shape,
      rest.shape,
    ])) as [isDone: 0 | 1, answer: unknown][];
    for (const [i, [isDone, answer]] of answers.entries()) {
      if (isDone === 1) calls[i]!.resolve(answer);
      else calls[i]!.reject(new Error(String(answer)));
    }
  } catch (error) {
    for (const { reject } of calls) reject(error as Error);
  }
}

/** The answers of one call made again and again, the last of them the first that brought nothing, if there was one. */
async function runUntilNone(
  connection: Redis,
  script: string,
  values: Value[],
  atMost: number,
): Promise<unknown[]> {
  const { numberOfKeys } = scriptOf(connection, script);
  return (await run(connection, script, 'until-none', UNTIL_NONE, [
    numberOfKeys,
    ...values,
    Math.max(1, Math.min(MANY, atMost)),
  ])) as unknown[];
}

/** Column by column; what is the same in all calls once. */
function columnsOf(calls: readonly Call[], from: number, to: number): { shape: string; values: Value[] } {
  let shape = '';
  const values: Value[] = [];
  for (let column = from; column < to; column++) {
    const first = calls[0]!.values[column];
    const isSame = calls.every(({ values: each }) => areEqual(each[column], first));
    shape += isSame ? 'S' : 'E';
    if (isSame) values.push(first);
    else for (const { values: each } of calls) values.push(each[column]);
  }
  return { shape, values };
}

function areEqual(a: Value, b: Value): boolean {
  return a === b || (Buffer.isBuffer(a) && Buffer.isBuffer(b) && a.equals(b));
}

/** As BullMQ defined it on this connection, by its name and the version of BullMQ. */
function scriptOf(connection: Redis, script: string): Script {
  const { scriptsSet } = connection as unknown as { scriptsSet: Record<string, Script> };
  return scriptsSet[Object.keys(scriptsSet).find((name) => name.startsWith(`${script}:`))!]!;
}

/** `how`: the name of `caller`, which is Lua that calls `one`. `values`: the number of keys, keys, arguments. */
async function run(connection: Redis, script: string, how: string, caller: string, values: Value[]) {
  const name = `${script}-${how}`;
  if (!(name in connection)) {
    const { lua } = scriptOf(connection, script);
    connection.defineCommand(name, { lua: `local function one(KEYS, ARGV)\n${lua}\nend\n${caller}` });
  }
  return (Reflect.get(connection, name) as (...args: Value[]) => Promise<unknown>).apply(connection, values);
}

/** ARGV: the values of all calls by column, how many calls, the shape of the keys, the shape of the arguments. */
const EACH = `
local count, keyShape, shape = tonumber(ARGV[#ARGV - 2]), ARGV[#ARGV - 1], ARGV[#ARGV]
local function deal(values, shape)
  local hands, at = {}, 1
  for call = 1, count do hands[call] = {} end
  for column = 1, #shape do
    local isEach = string.sub(shape, column, column) == 'E'
    for call = 1, count do
      hands[call][column] = values[at]
      if isEach or call == count then at = at + 1 end
    end
  end
  return hands
end
local keys, arguments = deal(KEYS, keyShape), deal(ARGV, shape)
local answers = {}
for call = 1, count do
  local isDone, answer = pcall(one, keys[call], arguments[call])
  if isDone then
    answers[call] = { 1, answer }
  else
    answers[call] = { 0, type(answer) == 'table' and answer.err or tostring(answer) }
  end
end
return answers
`;

/** ARGV: those of one call, how many calls at most. What was taken before a failure is given out. Of a job nothing is read but its id. */
const UNTIL_NONE = `
local answers = {}
for call = 1, tonumber(ARGV[#ARGV]) do
  local isDone, answer = pcall(one, KEYS, ARGV)
  if not isDone and call == 1 then error(answer) end
  if not isDone then break end
  answers[call] = answer
  if answer[1] == 0 then break end
  answer[1] = {}
end
return answers
`;
