import { MAX_LOG_CHARACTERS, MAX_LOG_LINE_LENGTH, MAX_LOG_LINES, MAX_MESSAGE_LENGTH } from './messages.ts';

/**
 * Runs in every context before the user's code: removes everything that is not standard ECMAScript, adds
 * `console` and returns two functions. `go(handler, input)` calls the handler and stores its result. `get()`
 * returns the state: `p` (pending), `v` and the result as JSON, or a letter and `{message, stack}`.
 *
 * User code may replace built-ins later, so the functions needed after its start are saved here. User code
 * can only affect its own call because each context serves one.
 */
export const GUEST_RUNTIME = `(function () {
  'use strict';
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { slice } = String.prototype;
  const text = String;
  const BuiltinError = Error;
  const then = Promise.prototype.then;
  const Settled = Promise;
  const sliced = (value, length) => (value.length > length ? apply(slice, value, [0, length]) : value);

  // Unsupported, or able to run code after the call has ended.
  for (const name of ['Atomics', 'FinalizationRegistry', 'SharedArrayBuffer', 'WeakRef', 'WebAssembly']) delete globalThis[name];

  let lines = 0;
  let characters = 0;
  const shown = (value) => {
    try {
      if (typeof value === 'string') return value;
      if (typeof value === 'object' && value !== null) {
        if (value instanceof BuiltinError && typeof value.stack === 'string') return value.stack;
        const json = stringify(value);
        if (typeof json === 'string') return json;
      }
      return text(value);
    } catch {
      return '[unprintable value]';
    }
  };
  const logger = (report, level) => (...values) => {
    if (lines > ${MAX_LOG_LINES}) return;
    if (lines === ${MAX_LOG_LINES} || characters > ${MAX_LOG_CHARACTERS}) {
      lines = ${MAX_LOG_LINES + 1};
      return report('warning', 'The log output of the code exceeds the limit');
    }
    let line = '';
    for (let i = 0; i < values.length && line.length < ${MAX_LOG_LINE_LENGTH}; i++) line += (i === 0 ? '' : ' ') + shown(values[i]);
    line = sliced(line, ${MAX_LOG_LINE_LENGTH});
    lines += 1;
    characters += line.length;
    report(level, line);
  };

  let state = 'p';
  const describeError = (error) => {
    let message;
    let stack = '';
    try {
      if (typeof error === 'object' && error !== null) {
        const { name } = error;
        message = error.message;
        stack = error.stack;
        message = typeof message === 'string' ? message : shown(error);
        if (typeof name === 'string' && name !== 'Error' && name !== '') message = name + ': ' + message;
      } else message = shown(error);
    } catch {
      message = 'An unprintable value was thrown';
    }
    return stringify({
      message: sliced(message, ${MAX_MESSAGE_LENGTH}),
      stack: typeof stack === 'string' ? sliced(stack, ${MAX_MESSAGE_LENGTH}) : '',
    });
  };
  const refuse = (message) => {
    const error = new BuiltinError(message);
    error.stack = '';
    throw error;
  };
  const names = { bigint: 'a BigInt', function: 'a function', symbol: 'a symbol' };
  function plain(key, value) {
    const kind = typeof value;
    if (kind === 'function' || kind === 'bigint' || kind === 'symbol')
      refuse('The result must be JSON; ' + (key === '' ? 'it' : 'its field "' + sliced(key, 100) + '"') + ' is ' + names[kind]);
    return value;
  }
  const serialize = (value, limit) => {
    let json;
    try {
      json = stringify(value, plain);
    } catch (error) {
      state = 'r' + describeError(error);
      return;
    }
    json ??= 'null';
    state = json.length > limit ? 'r' + stringify({ message: 'The result is larger than ' + limit + ' bytes of JSON', stack: '' }) : 'v' + json;
  };

  return {
    open(report) {
      const levels = { debug: 'debug', log: 'info', info: 'info', warn: 'warning', error: 'error', trace: 'debug' };
      const console = {};
      for (const name in levels) console[name] = logger(report, levels[name]);
      Object.defineProperty(globalThis, 'console', { value: console, writable: true, configurable: true });
    },
    go(handler, input, limit) {
      apply(then, new Settled((resolve) => resolve(handler(parse(input)))), [
        (value) => serialize(value, limit),
        (error) => {
          state = 't' + describeError(error);
        },
      ]);
    },
    get: () => state,
  };
})()`;
