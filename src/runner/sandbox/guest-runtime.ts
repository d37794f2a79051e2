import { MAX_LOG_CHARACTERS, MAX_LOG_LINE, MAX_LOG_LINES, MAX_MESSAGE } from './messages.ts';

/**
 * The first script of every context, before any of the user's code: it takes away what is not plain ECMAScript, gives
 * `console`, and answers two functions. `go(handler, input)` calls the handler and settles its result; `get()` tells
 * what came of it: `p` (not settled), `v` and the result as JSON, or a letter and `{message, stack}`.
 *
 * User code may replace every built-in afterwards, so what is needed later is kept here. What it can reach by that is
 * its own call: each context serves one.
 */
export const HARNESS = `(function () {
  'use strict';
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { slice } = String.prototype;
  const text = String;
  const Fault = Error;
  const then = Promise.prototype.then;
  const Settled = Promise;
  const sliced = (value, length) => (value.length > length ? apply(slice, value, [0, length]) : value);

  // Not part of what is promised, or able to act after the call has ended.
  for (const name of ['Atomics', 'FinalizationRegistry', 'SharedArrayBuffer', 'WeakRef', 'WebAssembly']) delete globalThis[name];

  let lines = 0;
  let characters = 0;
  const shown = (value) => {
    try {
      if (typeof value === 'string') return value;
      if (typeof value === 'object' && value !== null) {
        if (value instanceof Fault && typeof value.stack === 'string') return value.stack;
        const json = stringify(value);
        if (typeof json === 'string') return json;
      }
      return text(value);
    } catch {
      return '[a value that cannot be shown]';
    }
  };
  const logger = (report, level) => (...values) => {
    if (lines > ${MAX_LOG_LINES}) return;
    if (lines === ${MAX_LOG_LINES} || characters > ${MAX_LOG_CHARACTERS}) {
      lines = ${MAX_LOG_LINES + 1};
      return report('warning', 'The code printed more than is kept');
    }
    let line = '';
    for (let i = 0; i < values.length && line.length < ${MAX_LOG_LINE}; i++) line += (i === 0 ? '' : ' ') + shown(values[i]);
    line = sliced(line, ${MAX_LOG_LINE});
    lines += 1;
    characters += line.length;
    report(level, line);
  };

  let state = 'p';
  const told = (error) => {
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
      message = 'a value was thrown that cannot be shown';
    }
    return stringify({
      message: sliced(message, ${MAX_MESSAGE}),
      stack: typeof stack === 'string' ? sliced(stack, ${MAX_MESSAGE}) : '',
    });
  };
  const refuse = (message) => {
    const fault = new Fault(message);
    fault.stack = '';
    throw fault;
  };
  const names = { bigint: 'a BigInt', function: 'a function', symbol: 'a symbol' };
  function plain(key, value) {
    const kind = typeof value;
    if (kind === 'function' || kind === 'bigint' || kind === 'symbol')
      refuse('The result must be JSON; ' + (key === '' ? 'it' : 'its field "' + sliced(key, 100) + '"') + ' is ' + names[kind]);
    return value;
  }
  const serialise = (value, limit) => {
    let json;
    try {
      json = stringify(value, plain);
    } catch (error) {
      state = 'r' + told(error);
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
        (value) => serialise(value, limit),
        (error) => {
          state = 't' + told(error);
        },
      ]);
    },
    get: () => state,
  };
})()`;
