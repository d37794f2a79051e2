import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { FieldError } from '../../../contract/errors.ts';
import {
  deferred,
  type DeferredTemplate,
  type NodeContext,
  type ScopeExtra,
} from '../../../contract/node-type.ts';
import { appendKey, compilePath, PathError, writePath, type JsonPath } from '../../../lib/json/json-path.ts';
import { isObject, type Json, type JsonObject } from '../../../lib/json/json.ts';
import { defineNode } from '../../define-node.ts';
import { done } from '../../outcome.ts';
import { compileCachedPath } from '../../path-cache.ts';
import { closed, mapOf, oneOfTexts } from '../../schema.ts';
import { DataError, evaluateAt } from '../data-error.ts';
import { toOutput, readObject, formatLocation, subjectField, readSubjects } from '../items.ts';
import { forEachPaced, runPaced, type Work } from '../time-slice.ts';
import { OutputSizeLimit } from '../output-size-limit.ts';
import { ui } from '../../ui-hints.ts';

const SetConfig = closed({
  fields: mapOf(Type.Unsafe<Json>({}), {
    minProperties: 1,
    maxProperties: 1000,
    title: 'Fields',
    ...ui({ hint: 'Names can be paths, such as customer.name.' }),
    description:
      'The value of each field by path: {"total": "{{ item.price * item.count }}", "address.country": "DE"}. For a list, templates can use item and index; for a single object, use input.',
  }),
  mode: Type.Optional(
    oneOfTexts(['keep', 'only'], {
      default: 'keep',
      title: 'Other fields',
      ...ui({ hint: '', labels: { keep: 'Keep', only: 'Remove' } }),
      description: 'Whether to keep the other fields or return only these.',
    }),
  ),
  items: subjectField(),
});
type SetConfig = Static<typeof SetConfig>;
type Field = { readonly path: JsonPath; readonly value: (extra: ScopeExtra) => Json };

export const set = defineNode({
  type: 'set',
  version: '1.0.0',
  name: 'Set fields',
  category: 'data',
  description:
    'Sets fields of an object, or of each object in a list, to values or templates. Paths such as customer.name create nested objects.',
  icon: 'pencil',
  keywords: [
    'edit fields',
    'edit',
    'assign',
    'variable',
    'add field',
    'change',
    'modify',
    'value',
    'template',
    'text',
    'constant',
    'string',
  ],
  config: SetConfig,
  templates: { fields: 'deferred', mode: 'literal' },
  outputs: [{ name: 'out', type: 'any', description: 'The object or list with the new fields' }],
  effects: 'none',
  check: (config) => validateFields(config['fields']),
  run: (ctx, config, input) => runPaced(ctx, work(ctx, config as SetConfig, input)),
  examples: [
    {
      title: 'Set fields of one object',
      config: { fields: { 'customer.name': '{{ input.first }} {{ input.last }}', status: 'new' } },
      input: { first: 'Ada', last: 'Lovelace', customer: { id: 7 } },
      outputs: {
        out: { first: 'Ada', last: 'Lovelace', customer: { id: 7, name: 'Ada Lovelace' }, status: 'new' },
      },
    },
    {
      title: 'Compute a field for each object in a list',
      config: { fields: { total: '{{ item.price * item.count }}' }, items: 'lines' },
      input: {
        lines: [
          { price: 3, count: 2 },
          { price: 10, count: 1 },
        ],
      },
      outputs: {
        out: [
          { price: 3, count: 2, total: 6 },
          { price: 10, count: 1, total: 10 },
        ],
      },
    },
    {
      title: 'Return only the new fields',
      config: { fields: { id: '{{ item.id }}', position: '{{ index + 1 }}' }, mode: 'only' },
      input: [
        { id: 'a', secret: 1 },
        { id: 'b', secret: 2 },
      ],
      outputs: {
        out: [
          { id: 'a', position: 1 },
          { id: 'b', position: 2 },
        ],
      },
    },
    {
      title: 'A template with a missing value',
      config: { fields: { name: '{{ item.name | upcase }}' } },
      input: [{ name: 'Ada' }, {}],
      failure: 'template',
    },
  ],
});

function* work(ctx: NodeContext, config: SetConfig, input: Json): Work {
  const subjects = readSubjects(config.items, input);
  const fields = Object.entries(config.fields).map(([text, value]): Field => {
    return { path: compileCachedPath(text), value: createSource(ctx, value) };
  });
  const weight = new OutputSizeLimit();
  const results: Json[] = [];
  yield* forEachPaced(
    subjects.list,
    (_, index) => {
      const old = readObject(subjects, index);
      const result: JsonObject = config.mode === 'only' ? {} : { ...old };
      // A single object is `input`; `item` remains that of a surrounding loop.
      const extra = subjects.isSingle ? {} : { item: old, index };
      for (const { path, value } of fields) {
        const content = subjects.isSingle
          ? value(extra)
          : evaluateAt(formatLocation(subjects, index), () => value(extra));
        weight.add(content);
        try {
          writePath(path, result, content);
        } catch (error) {
          if (error instanceof PathError)
            throw new DataError(formatLocation(subjects, index, path.text), error.message);
          throw error;
        }
      }
      results.push(result);
    },
    1,
  );
  return done(toOutput(subjects, results));
}

/** Creates the function that evaluates a field. Most fields are one template or contain none. */
function createSource(ctx: NodeContext, value: Json): (extra: ScopeExtra) => Json {
  if (isDeferred(value)) return (extra) => ctx.evaluate(value, extra);
  return holdsDeferred(value) ? (extra) => evaluateTemplates(ctx, value, extra) : () => value;
}

function isDeferred(value: unknown): value is DeferredTemplate {
  return typeof value === 'object' && value !== null && deferred in value;
}

function holdsDeferred(value: Json): boolean {
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (isDeferred(next)) return true;
    if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) open.push(inner);
  }
  return false;
}

/** Copies a value with its templates evaluated. */
function evaluateTemplates(ctx: NodeContext, value: Json, extra: ScopeExtra): Json {
  const root: Json[] = [value];
  const open: (Json[] | JsonObject)[] = [root];
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    const target = container as JsonObject;
    for (const key of Object.keys(container)) {
      const inner = target[key] as Json;
      if (isDeferred(inner)) target[key] = ctx.evaluate(inner, extra);
      else if (Array.isArray(inner) || isObject(inner)) {
        const copy = Array.isArray(inner) ? inner.slice() : { ...inner };
        target[key] = copy;
        open.push(copy);
      }
    }
  }
  return root[0] as Json;
}

function validateFields(fields: Json | undefined): FieldError[] {
  if (!isObject(fields))
    return [{ field: 'fields', issue: 'must be an object; templates are allowed only in its values' }];
  return Object.keys(fields).flatMap((text) => {
    try {
      compilePath(text);
      return [];
    } catch (error) {
      if (error instanceof PathError) return [{ field: appendKey('fields', text), issue: error.message }];
      throw error;
    }
  });
}
