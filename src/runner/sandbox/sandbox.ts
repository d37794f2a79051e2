import { WeftError } from '../../contract/errors.ts';
import type { LogLevel } from '../../contract/execution.ts';
import type { CodeResult } from '../../contract/node-type.ts';
import { UPSTREAM_JSON } from '../../contract/json-input.ts';
import type { Json } from '../../lib/json/json.ts';
import { JsonBoundError, requireJsonBounds } from '../../lib/json/parse-json.ts';
import { checkValueLimits } from '../../lib/limits/value-limits.ts';
import { limits } from '../../ports/limits.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import { createCodeFailure } from './code-failure.ts';
import { SandboxPool, type PoolOptions, type Task } from './sandbox-pool.ts';
import type { Reply } from './sandbox-child.ts';
import { createStarter, type StarterOptions } from './process-starter.ts';

export type SandboxOptions = StarterOptions & Partial<PoolOptions>;

/** Time limit of a syntax check. Generous, because sandbox processes have low priority on a busy machine. */
const CHECK_TIMEOUT_MS = 20_000;

/** Runs user code in separate processes. No process is started before the first call. */
export function createSandbox(options: SandboxOptions): Sandbox & { close(): void; pids(): number[] } {
  const { size = limits.codeProcesses, idle = limits.codeIdleMs } = options;
  const closing = new AbortController();
  const start = createStarter(options, limits.codeOutputBytes, closing.signal);
  const pool = new SandboxPool(start, { size, idle });
  // A separate pool, so that saving a workflow does not wait for running code.
  const checks = new SandboxPool(start, { size: 1, idle });
  const memory = { memory: limits.codeHeapMb, processMemory: limits.codeProcessMb };

  return {
    run({ ownerId, source, argument, timeout, signal, log }) {
      return new Promise((resolve) => {
        const task: Task = {
          ownerId,
          request: { kind: 'run', timeout, ...memory, maxOutput: limits.codeOutputBytes },
          texts() {
            const input = JSON.stringify(argument);
            // Length in UTF-16 units: at least a third of the bytes, which is precise enough for a limit.
            return input.length > limits.codeInputBytes ? null : [source, input];
          },
          settle: (reply) => resolve(toResult(reply, timeout, log)),
        };
        const onAbort = (): void => {
          pool.withdraw(task);
          resolve(createCodeFailure('CODE_STOPPED', 'The execution ended while the code ran'));
        };
        if (signal.aborted) return onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
        const { settle } = task;
        task.settle = (reply) => {
          signal.removeEventListener('abort', onAbort);
          settle(reply);
        };
        pool.add(task);
      });
    },

    async check(ownerId, source) {
      const reply = await new Promise<Reply | 'busy' | 'unavailable' | 'too_large'>((resolve) => {
        checks.add({
          ownerId,
          request: { kind: 'check', timeout: CHECK_TIMEOUT_MS, ...memory },
          texts: () => [source],
          settle: resolve,
        });
      });
      if (reply === 'busy')
        throw new WeftError('RATE_LIMITED', 'Too many code runs are waiting.', { reason: 'capacity' });
      if (reply === 'unavailable')
        return {
          message: 'code cannot run on this machine; see the server log',
          line: null,
          column: null,
        };
      if (reply === 'too_large' || reply.kind === 'lost') {
        const isLate = reply !== 'too_large' && reply.why === 'late';
        const message = isLate
          ? `it took longer than ${CHECK_TIMEOUT_MS / 1_000} s`
          : 'could not be compiled';
        return { message, line: null, column: null };
      }
      const { response } = reply;
      if (response.kind === 'done') return null;
      return { message: response.message, line: response.line, column: response.column };
    },

    close() {
      pool.close();
      checks.close();
      closing.abort();
    },
    pids: () => [...pool.pids(), ...checks.pids()],
  };
}

function toResult(
  reply: Reply | 'busy' | 'unavailable' | 'too_large',
  timeout: number,
  log: (level: LogLevel, message: string) => void,
): CodeResult {
  if (reply === 'busy')
    return createCodeFailure('CODE_BUSY', 'Too many code runs are waiting; try again later');
  if (reply === 'too_large')
    return createCodeFailure(
      'CODE_INPUT_TOO_LARGE',
      `The input is larger than ${limits.codeInputBytes} bytes of JSON`,
    );
  if (reply === 'unavailable')
    return createCodeFailure('CODE_UNAVAILABLE', 'Code cannot run on this machine; see the server log');
  if (reply.kind === 'lost') {
    if (reply.why === 'late')
      return createCodeFailure('CODE_TIMEOUT', `The code did not end within ${timeout} ms`);
    if (reply.why === 'out_of_memory')
      return createCodeFailure('CODE_OUT_OF_MEMORY', 'The code exceeded its memory limit');
    return createCodeFailure('CODE_CRASHED', 'The process that ran the code crashed twice');
  }
  const { response, text } = reply;
  for (const { level, message } of response.logs) log(level, message);
  if (response.kind === 'done') return parseValue(text);
  return createCodeFailure(response.failure, response.message, response);
}

/** Parses the result, which may be arbitrary text from a compromised process. */
function parseValue(text: string): CodeResult {
  let value: Json;
  try {
    requireJsonBounds(text, UPSTREAM_JSON);
    // Numbers of user code are doubles, so parsing does not round them.
    value = JSON.parse(text) as Json;
  } catch (error) {
    const issue = error instanceof JsonBoundError ? error.message : 'is not JSON';
    return createCodeFailure('result', `The result ${issue}`);
  }
  const problem = checkValueLimits(value, limits.codeOutputBytes, limits.valueDepth);
  return problem === null ? { kind: 'value', value } : createCodeFailure('result', `The result ${problem}`);
}
