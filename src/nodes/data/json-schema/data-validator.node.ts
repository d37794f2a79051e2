import { Type } from 'typebox';
import type { FieldError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { defineNode } from '../../define-node.ts';
import { sameAsInput } from '../../output-schema.ts';
import { done, invalid, invalidFields } from '../../outcome.ts';
import { closed, mapOf } from '../../schema.ts';
import { compileSchema, findSchemaViolation } from './json-schema.ts';
import type { SchemaDocuments } from './json-schema.ts';
import { SchemaError, SchemaWorkError } from './schema-error.ts';
import { ui } from '../../ui-hints.ts';

export const dataValidator = defineNode({
  type: 'data_validator',
  version: '1.0.0',
  name: 'Data validator',
  category: 'data',
  description:
    'Validates the input against a JSON Schema (2020-12) and passes it on, or fails with a validation error that names the field.',
  icon: 'shield-check',
  keywords: ['validate', 'validation', 'check', 'schema', 'json schema', 'verify', 'assert'],
  config: closed({
    schema: Type.Unsafe<JsonObject>({
      type: 'object',
      title: 'Fields',
      ...ui({ control: 'json_schema', hint: '' }),
      description:
        'A JSON Schema, such as {"type": "object", "required": ["email"]}. Templates are not evaluated in it.',
    }),
    schemas: Type.Optional(
      mapOf(Type.Unsafe<JsonObject>({ type: 'object' }), {
        title: 'Referenced schemas',
        ...ui({ advanced: true }),
        description:
          'Other schemas to resolve references, by URI: {"https://example.com/address": {…}} for {"$ref": "https://example.com/address"}. Nothing is fetched.',
      }),
    ),
  }),
  templates: { schema: 'literal', schemas: 'literal' },
  output: sameAsInput,
  outputs: [{ name: 'out', type: 'any', description: 'The input' }],
  effects: 'none',
  check(config): FieldError[] {
    try {
      compileSchema(config['schema'] as JsonObject, config['schemas'] as SchemaDocuments | undefined);
      return [];
    } catch (error) {
      if (error instanceof SchemaError) return [{ field: 'schema', issue: error.message }];
      throw error;
    }
  },
  run(_ctx, config, input) {
    try {
      const violation = findSchemaViolation(config.schema, input, config.schemas);
      return violation === null ? done(input) : invalidFields([violation]);
    } catch (error) {
      if (error instanceof SchemaError) return invalid('schema', error.message);
      if (error instanceof SchemaWorkError)
        return {
          kind: 'failed',
          error: { type: 'limit', message: `schema: ${error.message}`, retryable: false },
        };
      throw error;
    }
  },
  examples: [
    {
      title: 'Valid order',
      config: {
        schema: {
          type: 'object',
          required: ['email', 'items'],
          properties: {
            email: { type: 'string', format: 'email' },
            items: { type: 'array', minItems: 1, items: { type: 'object', required: ['sku'] } },
          },
        },
      },
      input: { email: 'ada@example.com', items: [{ sku: 'A-1' }] },
      outputs: { out: { email: 'ada@example.com', items: [{ sku: 'A-1' }] } },
    },
    {
      title: 'Field with the wrong type',
      config: { schema: { type: 'object', properties: { age: { type: 'integer', minimum: 0 } } } },
      input: { age: '17' },
      failure: 'validation',
    },
  ],
});
