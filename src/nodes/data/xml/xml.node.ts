import { Type } from 'typebox';
import type { Static } from 'typebox';
import { isForbiddenKey } from '../../../lib/json/json-path.ts';
import type { Json } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';
import { defineNode } from '../../define-node.ts';
import { closed, oneOfTexts, tagged } from '../../schema.ts';
import { DataError } from '../data-error.ts';
import { describeType } from '../items.ts';
import { runPaced, type Work } from '../time-slice.ts';
import { outputField, createOutcome, readText, valueField, readValue } from '../value.ts';
import { readXml } from './xml-reader.ts';
import { writeXml } from './xml-writer.ts';

const attributePrefix = Type.Optional(
  Type.String({
    maxLength: 20,
    default: '@',
    description: 'The prefix of attribute names.',
  }),
);
const textName = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 100,
    default: '#text',
    description: 'The name of the field for the text of an element with attributes or children.',
  }),
);

const XmlConfig = tagged('operation', [
  closed(
    {
      operation: Type.Literal('parse'),
      value: valueField('The XML text'),
      lists: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
          maxItems: 1000,
          description: 'Names of elements that are always a list, even if there is only one.',
        }),
      ),
      types: Type.Optional(
        oneOfTexts(['text', 'auto'], {
          default: 'text',
          description:
            'auto converts JSON numbers (but not 007 or more than 15 digits) and true and false. Other text stays a string.',
        }),
      ),
      trim: Type.Optional(Type.Boolean({ default: true, description: 'Removes white space around text.' })),
      attributePrefix,
      textName,
      output: outputField(),
    },
    { title: 'Parse' },
  ),
  closed(
    {
      operation: Type.Literal('build'),
      value: valueField('The object whose only field is the root element'),
      root: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 1000,
          description: 'The name of a root element to add around the value.',
        }),
      ),
      indent: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 10,
          default: 0,
          description: 'Spaces per level; 0 writes a single line.',
        }),
      ),
      declaration: Type.Optional(
        Type.Boolean({ default: true, description: 'Starts with <?xml version="1.0" encoding="UTF-8"?>.' }),
      ),
      attributePrefix,
      textName,
      output: outputField(),
    },
    { title: 'Build' },
  ),
]);
type XmlConfig = Static<typeof XmlConfig>;

export const xml = defineNode({
  type: 'xml',
  version: '1.0.0',
  name: 'XML',
  category: 'data',
  description:
    'Converts XML to an object, or an object to XML. Elements become fields, repeated elements become lists, and comments are dropped. A DOCTYPE that defines entities is rejected. XML to read may have at most 8,388,608 characters.',
  icon: 'code-xml',
  keywords: ['parse', 'soap', 'rss', 'feed', 'convert'],
  config: XmlConfig,
  templates: { operation: 'literal', lists: 'literal', output: 'literal' },
  outputs: [{ name: 'out', type: 'any', description: 'The object, or the XML text' }],
  effects: 'none',
  run: (ctx, config, input) => runPaced(ctx, work(config as XmlConfig, input)),
  examples: [
    {
      title: 'Parse an order',
      config: { operation: 'parse', value: '{{ input.body }}', types: 'auto', lists: ['line'] },
      input: {
        body: '<order id="7"><name>Ada &amp; Bob</name><line sku="A-1">2</line><note/></order>',
      },
      outputs: {
        out: { order: { '@id': 7, name: 'Ada & Bob', line: [{ '@sku': 'A-1', '#text': 2 }], note: '' } },
      },
    },
    {
      title: 'Write an object as XML',
      config: { operation: 'build', root: 'orders', declaration: false },
      input: { order: [{ '@id': 1, name: 'Ada <3' }, { '@id': 2 }] },
      outputs: { out: '<orders><order id="1"><name>Ada &lt;3</name></order><order id="2"/></orders>' },
    },
    {
      title: 'Entity definitions are rejected',
      config: { operation: 'parse' },
      input: '<!DOCTYPE a [<!ENTITY b "bb">]><a>&b;</a>',
      failure: 'validation',
    },
  ],
});

function* work(config: XmlConfig, input: Json): Work {
  const { attributePrefix: prefix = '@', textName: text = '#text' } = config;
  if (isForbiddenKey(text)) throw new DataError('textName', `${text} is a reserved name`);
  if (config.operation === 'parse') {
    const value = yield* readXml(readText(config, input), {
      attributePrefix: prefix,
      textName: text,
      lists: new Set(config.lists),
      trim: config.trim ?? true,
      typed: config.types === 'auto',
    });
    return createOutcome(config, input, value);
  }
  const { name, content } = readRoot(readValue(config, input), config.root);
  const written = yield* writeXml(name, content, {
    attributePrefix: prefix,
    textName: text,
    indent: config.indent ?? 0,
    declaration: config.declaration ?? true,
  });
  return createOutcome(config, input, written);
}

function readRoot(value: Json, root: string | undefined): { name: string; content: Json } {
  if (root !== undefined) return { name: root, content: value };
  if (!isObject(value))
    throw new DataError('value', `must be an object, not ${describeType(value)}, or root must be set`);
  const [name, ...others] = Object.keys(value);
  if (name === undefined || others.length > 0)
    throw new DataError(
      'value',
      `must be an object with one field, not ${others.length + (name === undefined ? 0 : 1)}, or root must be set`,
    );
  return { name, content: value[name] as Json };
}
