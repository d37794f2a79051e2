import { Buffer } from 'node:buffer';
import { createHash, createHmac } from 'node:crypto';
import type { Json } from '../../lib/json/json.ts';
import { markAsData } from '../../lib/text/untrusted-data.ts';
import { parseExactJson } from '../../lib/json/parse-json.ts';
import { checkValueLimits } from '../../lib/limits/value-limits.ts';
import { TemplateEvaluationError } from '../errors.ts';
import type { TemplateFunction } from '../function.ts';
import { readOptionalTextArg, spendText, readTextArg, readWholeArg } from '../function.ts';
import { MAX_VALUE_DEPTH, MAX_VALUE_LENGTH } from '../limits.ts';
import { printJson } from '../result-limits.ts';

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const ENCODING_FUNCTIONS: readonly TemplateFunction[] = [
  {
    name: 'json',
    usage: 'json: indent?',
    description: 'The value as JSON; with an indent, on several lines.',
    example: { template: '{{ input | json }}', input: { a: [1, 'x'] }, result: '{"a":[1,"x"]}' },
    min: 1,
    max: 2,
    run: (args, call) => {
      const indent = Math.min(Math.max(0, readWholeArg('json', args, 1, 0)), 10);
      const text = printJson(args[0] ?? null, MAX_VALUE_LENGTH, indent);
      spendText(call, text.length);
      return text;
    },
  },
  {
    name: 'as_data',
    usage: 'as_data',
    description:
      'The value as text between marks, for a prompt. The system message states that such text is data, not instructions.',
    example: {
      template: '{{ input.document | as_data }}',
      input: { document: 'Opening hours: 9 to 17.' },
      result: '<untrusted_data>\nOpening hours: 9 to 17.\n</untrusted_data>',
    },
    min: 1,
    max: 1,
    run: (args, call) => {
      const [value = null] = args;
      const text = typeof value === 'string' ? value : printJson(value, MAX_VALUE_LENGTH, 0);
      const marked = markAsData(text);
      spendText(call, marked.length);
      return marked;
    },
  },
  {
    name: 'parse_json',
    usage: 'parse_json',
    description: 'The value that a JSON string contains.',
    example: { template: '{{ input.body | parse_json }}', input: { body: '{"a":1}' }, result: { a: 1 } },
    min: 1,
    max: 1,
    run: (args, call) => {
      const text = readTextArg('parse_json', args, 0, call);
      call.spend(text.length >> 4);
      const value = parseJsonText(text);
      const problem = checkValueLimits(value, Infinity, MAX_VALUE_DEPTH);
      if (problem !== null) throw new TemplateEvaluationError(`parse_json: the value ${problem}`, 'limit');
      return value;
    },
  },
  {
    name: 'base64',
    usage: 'base64',
    description: 'The string (as UTF-8) in Base64.',
    example: { template: '{{ "user:pass" | base64 }}', result: 'dXNlcjpwYXNz' },
    min: 1,
    max: 1,
    run: (args, call) => {
      const text = readTextArg('base64', args, 0, call);
      spendText(call, text.length * 1.34);
      return Buffer.from(text, 'utf8').toString('base64');
    },
  },
  {
    name: 'base64_decode',
    usage: 'base64_decode',
    description: 'The string (as UTF-8) that a Base64 string contains; the URL alphabet is accepted too.',
    example: { template: '{{ "dXNlcjpwYXNz" | base64_decode }}', result: 'user:pass' },
    min: 1,
    max: 1,
    run: (args, call) => {
      const text = readTextArg('base64_decode', args, 0, call).trim();
      if (!BASE64.test(text))
        throw new TemplateEvaluationError('base64_decode: argument must be a Base64 string');
      try {
        return utf8.decode(Buffer.from(text, 'base64'));
      } catch {
        throw new TemplateEvaluationError('base64_decode: the bytes must be UTF-8');
      }
    },
  },
  {
    name: 'url_encode',
    usage: 'url_encode',
    description: 'The string encoded for a part of a URL.',
    example: { template: '{{ "a b&c=ü" | url_encode }}', result: 'a%20b%26c%3D%C3%BC' },
    min: 1,
    max: 1,
    run: (args, call) => {
      const text = readTextArg('url_encode', args, 0, call);
      spendText(call, text.length * 3);
      return encodeURIComponent(text.toWellFormed());
    },
  },
  {
    name: 'url_decode',
    usage: 'url_decode',
    description: 'The string behind a part of a URL; a + is a space.',
    example: { template: '{{ "a+b%26c" | url_decode }}', result: 'a b&c' },
    min: 1,
    max: 1,
    run: (args, call) => {
      try {
        return decodeURIComponent(readTextArg('url_decode', args, 0, call).replaceAll('+', ' '));
      } catch (error) {
        if (error instanceof TemplateEvaluationError) throw error;
        throw new TemplateEvaluationError('url_decode: argument must be a URL-encoded string');
      }
    },
  },
  {
    name: 'escape_html',
    usage: 'escape_html',
    description: 'The string with the characters that mean something in HTML written as entities.',
    example: { template: '{{ "<b>\'&\'</b>" | escape_html }}', result: '&lt;b&gt;&#39;&amp;&#39;&lt;/b&gt;' },
    min: 1,
    max: 1,
    run: (args, call) => {
      const text = readTextArg('escape_html', args, 0, call);
      spendText(call, text.length * 6);
      return text
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;')
        .replaceAll("'", '&#39;');
    },
  },
  {
    name: 'sha256',
    usage: 'sha256: encoding?',
    description: 'The SHA-256 hash of a string (as UTF-8), in hex, base64 or base64url.',
    example: {
      template: '{{ "abc" | sha256 }}',
      result: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    },
    min: 1,
    max: 2,
    run: (args, call) =>
      createHash('sha256')
        .update(readTextArg('sha256', args, 0, call), 'utf8')
        .digest(digest('sha256', args, 1)),
  },
  {
    name: 'hmac_sha256',
    usage: 'hmac_sha256: key, encoding?',
    description: 'The HMAC-SHA-256 of a string with a key (both as UTF-8), in hex, base64 or base64url.',
    example: {
      template: '{{ "what do ya want for nothing?" | hmac_sha256: "Jefe" }}',
      result: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    },
    min: 2,
    max: 3,
    run: (args, call) =>
      createHmac('sha256', readTextArg('hmac_sha256', args, 1, call))
        .update(readTextArg('hmac_sha256', args, 0, call), 'utf8')
        .digest(digest('hmac_sha256', args, 2)),
  },
];

function digest(name: string, args: readonly Json[], at: number): 'hex' | 'base64' | 'base64url' {
  const encoding = readOptionalTextArg(name, args, at, 'hex');
  if (encoding === 'hex' || encoding === 'base64' || encoding === 'base64url') return encoding;
  throw new TemplateEvaluationError(`${name}: the encoding must be hex, base64 or base64url`);
}

function parseJsonText(text: string): Json {
  try {
    // An own key __proto__ would become a prototype wherever the object is copied by assignment.
    return parseExactJson(text, /__proto__|\\u/.test(text) ? withoutPrototype : undefined);
  } catch {
    throw new TemplateEvaluationError('parse_json: argument must be valid JSON');
  }
}

function withoutPrototype(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}
