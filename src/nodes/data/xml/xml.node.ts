import { Type } from 'typebox';
import type { Static } from 'typebox';
import { isForbiddenKey } from '../../../lib/json/json-path.ts';
import type { Json } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';
import { defineNode } from '../../define-node.ts';
import { closed, oneOfTexts, tagged } from '../../schema.ts';
import { DataFault } from '../data-error.ts';
import { kindOf } from '../items.ts';
import { paced, type Work } from '../time-slice.ts';
import { outputField, resulting, textOf, valueField, valueOf } from '../value.ts';
import { readXml } from './xml-reader.ts';
import { writeXml } from './xml-writer.ts';

const attributePrefix = Type.Optional(
  Type.String({
    maxLength: 20,
    default: '@',
    description: 'What stands in front of the names of attributes.',
  }),
);
const textName = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 100,
    default: '#text',
    description: 'The field for the text of an element that has attributes or children.',
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
          description: 'Names of elements that are a list even when there is only one.',
        }),
      ),
      types: Type.Optional(
        oneOfTexts(['text', 'auto'], {
          default: 'text',
          description:
            'auto makes numbers of what JSON would write so (not of 007, nor beyond 15 digits), and booleans of true and false.',
        }),
      ),
      trim: Type.Optional(Type.Boolean({ default: true, description: 'Takes space around texts away.' })),
      attributePrefix,
      textName,
      output: outputField(),
    },
    { title: 'Parse' },
  ),
  closed(
    {
      operation: Type.Literal('build'),
      value: valueField('The object; its one field is the root element'),
      root: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 1000,
          description: 'The name of an element around the value.',
        }),
      ),
      indent: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 10,
          default: 0,
          description: 'Spaces for each level; 0 writes one line.',
        }),
      ),
      declaration: Type.Optional(
        Type.Boolean({ default: true, description: 'Begins with <?xml version="1.0" encoding="UTF-8"?>.' }),
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
    'Reads an XML text of at most 8,388,608 characters into an object, or writes an object as XML. Elements are fields, and lists where they come again; comments are left out, and a DOCTYPE that defines entities is refused.',
  icon: 'code-xml',
  config: XmlConfig,
  templates: { operation: 'literal', lists: 'literal', output: 'literal' },
  outputs: [{ name: 'out', type: 'any', description: 'The object, or the text' }],
  effects: 'none',
  run: (ctx, config, input) => paced(ctx, work(config as XmlConfig, input)),
  examples: [
    {
      title: 'An order',
      config: { operation: 'parse', value: '{{ input.body }}', types: 'auto', lists: ['line'] },
      input: {
        body: '<order id="7"><name>Ada &amp; Bob</name><line sku="A-1">2</line><note/></order>',
      },
      outputs: {
        out: { order: { '@id': 7, name: 'Ada & Bob', line: [{ '@sku': 'A-1', '#text': 2 }], note: '' } },
      },
    },
    {
      title: 'A text of an object',
      config: { operation: 'build', root: 'orders', declaration: false },
      input: { order: [{ '@id': 1, name: 'Ada <3' }, { '@id': 2 }] },
      outputs: { out: '<orders><order id="1"><name>Ada &lt;3</name></order><order id="2"/></orders>' },
    },
    {
      title: 'Entities that would be expanded',
      config: { operation: 'parse' },
      input: '<!DOCTYPE a [<!ENTITY b "bb">]><a>&b;</a>',
      failure: 'validation',
    },
  ],
});

function* work(config: XmlConfig, input: Json): Work {
  const { attributePrefix: prefix = '@', textName: text = '#text' } = config;
  if (isForbiddenKey(text)) throw new DataFault('textName', `${text} cannot be the name of a field`);
  if (config.operation === 'parse') {
    const value = yield* readXml(textOf(config, input), {
      attributePrefix: prefix,
      textName: text,
      lists: new Set(config.lists),
      trim: config.trim ?? true,
      typed: config.types === 'auto',
    });
    return resulting(config, input, value);
  }
  const { name, content } = rootOf(valueOf(config, input), config.root);
  const written = yield* writeXml(name, content, {
    attributePrefix: prefix,
    textName: text,
    indent: config.indent ?? 0,
    declaration: config.declaration ?? true,
  });
  return resulting(config, input, written);
}

function rootOf(value: Json, root: string | undefined): { name: string; content: Json } {
  if (root !== undefined) return { name: root, content: value };
  if (!isObject(value))
    throw new DataFault('value', `takes an object, and is ${kindOf(value)}; or name the root`);
  const [name, ...others] = Object.keys(value);
  if (name === undefined || others.length > 0)
    throw new DataFault(
      'value',
      `takes an object with one field, the root element, and has ${others.length + (name === undefined ? 0 : 1)}; or name the root`,
    );
  return { name, content: value[name] as Json };
}
