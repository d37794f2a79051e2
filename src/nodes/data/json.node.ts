import { Type } from 'typebox';
import type { Static } from 'typebox';
import { UPSTREAM_JSON } from '../../contract/json-input.ts';
import type { Json } from '../../lib/json/json.ts';
import { JsonBoundError, parseJson } from '../../lib/json/parse-json.ts';
import { defineNode } from '../define-node.ts';
import { closed, tagged } from '../schema.ts';
import { DataError } from './data-error.ts';
import { checkValue, describeJsonError } from './text/json-text.ts';
import { runPaced, type Work } from './time-slice.ts';
import { outputField, createOutcome, readText, valueField, readValue } from './value.ts';

/** Maximum length of a text parsed or indented at once, because the work is synchronous. */
export const MAX_TEXT_LENGTH = 8 * 1024 * 1024;
const JsonConfig = tagged('operation', [
  closed(
    { operation: Type.Literal('parse'), value: valueField('The JSON text'), output: outputField() },
    { title: 'Parse' },
  ),
  closed(
    {
      operation: Type.Literal('stringify'),
      value: valueField('The value'),
      indent: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 10,
          default: 0,
          description: 'Spaces per level; 0 writes a single line.',
        }),
      ),
      output: outputField(),
    },
    { title: 'Stringify' },
  ),
]);
type JsonConfig = Static<typeof JsonConfig>;

export const json = defineNode({
  type: 'json',
  version: '1.0.0',
  name: 'JSON',
  category: 'data',
  description:
    'Parses JSON text, or writes a value as JSON text. Text to parse may have at most 8,388,608 characters.',
  icon: 'braces',
  keywords: ['parse', 'stringify', 'serialize', 'object', 'convert'],
  config: JsonConfig,
  templates: { operation: 'literal', output: 'literal' },
  outputs: [{ name: 'out', type: 'any', description: 'The value, or the JSON text' }],
  effects: 'none',
  run: (ctx, config, input) => runPaced(ctx, work(config as JsonConfig, input)),
  examples: [
    {
      title: 'Parse a field and keep the other fields',
      config: { operation: 'parse', value: '{{ input.body }}', output: 'order' },
      input: { body: '{"id": 7, "lines": [1, 2]}' },
      outputs: { out: { body: '{"id": 7, "lines": [1, 2]}', order: { id: 7, lines: [1, 2] } } },
    },
    {
      title: 'Write the input as text',
      config: { operation: 'stringify' },
      input: { a: [1, 'x', null] },
      outputs: { out: '{"a":[1,"x",null]}' },
    },
    {
      title: 'Text that is not valid JSON',
      config: { operation: 'parse' },
      input: '{"id": 7,}',
      failure: 'validation',
    },
  ],
});

function* work(config: JsonConfig, input: Json): Work {
  if (config.operation === 'stringify')
    return createOutcome(config, input, writeJson(readValue(config, input), config.indent ?? 0));
  const text = readText(config, input);
  if (text.length > MAX_TEXT_LENGTH)
    throw new DataError('value', `must have at most ${MAX_TEXT_LENGTH} characters`, 'limit');
  let value: Json;
  try {
    value = parseJson(text, UPSTREAM_JSON);
  } catch (error) {
    if (error instanceof JsonBoundError) throw new DataError('value', error.message, 'limit');
    throw new DataError('value', describeJsonError(error));
  }
  yield;
  return createOutcome(config, input, yield* checkValue(value));
}

function writeJson(value: Json, indent: number): string {
  try {
    const text = JSON.stringify(value);
    if (indent === 0) return text;
    if (estimateIndentedLength(text, indent) <= MAX_TEXT_LENGTH) return JSON.stringify(value, null, indent);
  } catch (error) {
    // The value is too deep for the stack or too long for a string.
    if (!(error instanceof RangeError)) throw error;
    throw new DataError('value', 'is too deep or too large to be written as text', 'limit');
  }
  throw new DataError('value', `must have at most ${MAX_TEXT_LENGTH} characters when indented`, 'limit');
}

/** Estimates the length of indented JSON; in deep values the indentation can be most of the text. */
function estimateIndentedLength(text: string, indent: number): number {
  let length = text.length;
  let depth = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (isQuoted) {
      if (char === BACKSLASH) i++;
      else if (char === QUOTE) isQuoted = false;
    } else if (char === QUOTE) isQuoted = true;
    else if (char === COMMA) length += 1 + depth * indent;
    else if (char === OPEN_LIST || char === OPEN_OBJECT) length += 1 + ++depth * indent;
    else if (char === CLOSE_LIST || char === CLOSE_OBJECT) length += 1 + --depth * indent;
  }
  return length;
}

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];
