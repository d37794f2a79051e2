import { Type } from 'typebox';
import { OWN_TOOL_PREFIX, taskSupports } from '../../contract/ai/workflow-tool.ts';
import type { FieldError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../lib/json/json.ts';
import { validateOutputSchema } from '../ai/model-run.ts';
import { output, schemaOfField } from '../output-schema.ts';
import { closed, oneOfTexts } from '../schema.ts';
import { ui } from '../ui-hints.ts';

/** The names that all providers of models accept. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export const tool = closed(
  {
    triggerType: Type.Literal('tool'),
    name: Type.String({
      minLength: 1,
      maxLength: 64,
      title: 'Name',
      ...ui({ order: 1, placeholder: 'refund_order', hint: '' }),
      description:
        'The name of the tool: letters, digits, - and _. Each of your active workflows needs a name of its own.',
    }),
    description: Type.String({
      minLength: 1,
      maxLength: 4_000,
      title: 'Description',
      ...ui({
        order: 2,
        placeholder: 'Refunds an order, in full or in part.',
        hint: 'A model decides by this text when it calls the tool.',
      }),
      description: 'What the tool does. A model decides by this text when it calls the tool.',
    }),
    inputSchema: Type.Optional(
      Type.Unsafe<JsonObject>({
        type: 'object',
        title: 'Arguments',
        ...ui({ order: 3, control: 'json_schema', hint: '' }),
        description:
          'A JSON Schema of the arguments, which are an object. Arguments that do not match start nothing. Default: any object.',
      }),
    ),
    outputSchema: Type.Optional(
      Type.Unsafe<JsonObject>({
        type: 'object',
        title: 'Result',
        ...ui({ control: 'json_schema', hint: '', advanced: true }),
        description:
          'A JSON Schema of the output of the workflow, which clients receive. An output that does not match is an error of the tool.',
      }),
    ),
    title: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        title: 'Title',
        ...ui({ advanced: true, hint: '', placeholder: 'Refund an order' }),
        description: 'The name that clients show to people.',
      }),
    ),
    taskSupport: Type.Optional(
      oneOfTexts(taskSupports, {
        default: 'optional',
        title: 'Tasks',
        ...ui({
          advanced: true,
          labels: { optional: 'For longer calls', required: 'Always', forbidden: 'Never' },
        }),
        description:
          'Whether a call becomes a task, whose result the client asks for later: if it does not end at once, always, or never.',
      }),
    ),
    readOnly: Type.Optional(
      Type.Boolean({
        default: false,
        title: 'Reads only',
        ...ui({ advanced: true }),
        description: 'States to clients that the tool changes nothing.',
      }),
    ),
    destructive: Type.Optional(
      Type.Boolean({
        default: true,
        title: 'Can overwrite or delete',
        ...ui({ advanced: true }),
        description: 'States to clients that the tool can change or delete what exists, not only add to it.',
      }),
    ),
    idempotent: Type.Optional(
      Type.Boolean({
        default: false,
        title: 'Can be repeated',
        ...ui({ advanced: true }),
        description: 'States to clients that the same call again has no further effect.',
      }),
    ),
  },
  { title: 'Tool', ...output(schemaOfField('inputSchema')) },
);

/** Validation that the schema cannot express. */
export function validateTool({ name, inputSchema, outputSchema }: JsonObject): FieldError[] {
  const errors = [
    ...validateOutputSchema(inputSchema, 'inputSchema'),
    ...validateOutputSchema(outputSchema, 'outputSchema'),
  ];
  if (typeof name === 'string' && !NAME.test(name))
    errors.push({ field: 'name', issue: 'must have only letters, digits, - and _' });
  if (typeof name === 'string' && name.startsWith(OWN_TOOL_PREFIX))
    errors.push({ field: 'name', issue: `must not begin with ${OWN_TOOL_PREFIX}, as the tools of Weft do` });
  if (isObject(inputSchema) && inputSchema['type'] !== 'object')
    errors.push({ field: 'inputSchema.type', issue: 'must be "object", because arguments have names' });
  if (isObject(outputSchema) && outputSchema['type'] !== 'object')
    errors.push({ field: 'outputSchema.type', issue: 'must be "object": clients accept no other result' });
  return errors;
}
