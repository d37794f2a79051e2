import { expect, test } from 'vitest';
import { presentNode } from '../../src/api/serializers/node.ts';
import { createNodeTypes } from '../../src/nodes/catalog.ts';
import { builtinNodes } from '../../src/nodes/registry.ts';
import type { NodeType } from '../../web/src/canvas/model/catalog.ts';
import german from '../../web/src/i18n/nodes.de.json' with { type: 'json' };
import japanese from '../../web/src/i18n/nodes.ja.json' with { type: 'json' };
import uiGerman from '../../web/src/i18n/de.json' with { type: 'json' };
import uiJapanese from '../../web/src/i18n/ja.json' with { type: 'json' };
import { translateTypes } from '../../web/src/node-panel/model/translate-types.ts';

const types = createNodeTypes(builtinNodes)
  .all()
  .map((type) => presentNode(type) as unknown as NodeType);
const texts = new Set<string>();
translateTypes(types, (text) => {
  texts.add(text);
  return text;
});

const templatesIn = (text: string): string[] => (text.match(/\{\{.*?\}\}/g) ?? []).toSorted();

test.each<[string, Record<string, string>]>([
  ['web/src/i18n/nodes.de.json', german],
  ['web/src/i18n/nodes.ja.json', japanese],
])('every text of a built-in node type is in %s', (file, catalog) => {
  expect(texts.size).toBeGreaterThan(500);
  const missing = [...texts].filter((text) => !Object.hasOwn(catalog, text));
  expect(missing, `Add translations to ${file}`).toEqual([]);
  const unknown = Object.keys(catalog).filter((text) => !texts.has(text));
  expect(unknown, `Remove translations from ${file}`).toEqual([]);
  const wrong = Object.entries(catalog).filter(
    ([text, translation]) =>
      translation.trim() === '' || templatesIn(text).join() !== templatesIn(translation).join(),
  );
  expect(wrong, `Change ${file}: empty, or with other placeholders`).toEqual([]);
});

test('the group of common fields has one name in a form and in the panel', () => {
  expect([german.General, japanese.General]).toEqual([uiGerman.General, uiJapanese.General]);
});

test('only texts are translated', () => {
  const [type] = translateTypes(
    [
      {
        id: 'send',
        name: 'Send',
        description: '',
        category: 'http',
        version: '1.0.0',
        inputs: [{ name: 'in', type: 'any', description: 'Input', required: true }],
        outputs: [],
        config_schema: {
          type: 'object',
          required: ['body_type'],
          properties: {
            body_type: {
              enum: ['json'],
              default: 'json',
              'x-ui': { labels: { json: 'As JSON' }, group: 'More' },
            },
            auth: {
              discriminator: { propertyName: 'type' },
              oneOf: [{ properties: { type: { const: 'bearer_token' } } }],
            },
          },
        },
        icon: 'send',
        keywords: ['post'],
        custom: false,
        effects: 'none',
        secret_fields: [],
      },
    ],
    (text) => `<${text}>`,
  );
  expect(type).toMatchObject({
    id: 'send',
    name: '<Send>',
    description: '',
    inputs: [{ name: 'in', type: 'any', description: '<Input>' }],
    keywords: ['post', 'Send'],
    config_schema: {
      required: ['body_type'],
      properties: {
        body_type: {
          title: '<Body type>',
          enum: ['json'],
          default: 'json',
          'x-ui': { labels: { json: '<As JSON>' }, group: '<More>' },
        },
        auth: { oneOf: [{ title: '<Bearer token>', properties: { type: { const: 'bearer_token' } } }] },
      },
    },
  });
});
