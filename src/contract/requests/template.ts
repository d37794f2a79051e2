import { Type, type Static } from 'typebox';
import type { Json } from '../../lib/json/json.ts';
import { pagingFields } from '../paging.ts';
import {
  AnyJson,
  JsonObject,
  OneOf,
  Text,
  Time,
  defineList,
  nullable,
  defineResource,
} from '../resources/resource.ts';

/** Workflow templates: request bodies and response resources. */

const closed = { additionalProperties: false };

/**
 * The type of a parameter. `select`: one of its options, of any type. `secret`: the name of a stored secret,
 * which `{{ secrets[parameters.NAME] }}` reads when the workflow runs.
 */
export const parameterTypes = [
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'select',
  'secret',
] as const;
export type ParameterType = (typeof parameterTypes)[number];

const parameterFields = {
  name: Type.String({
    maxLength: 100,
    pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
    'x-issue': 'must be 1 to 100 letters, digits and _, and not begin with a digit',
  }),
  type: Type.Enum([...parameterTypes]),
  required: Type.Optional(Type.Boolean({ description: 'Default: false.' })),
  options: Type.Optional(
    Type.Array(Type.Unknown(), {
      maxItems: 200,
      description: 'The allowed values. Empty or absent: any.',
    }),
  ),
  default: Type.Optional(Type.Unknown({ description: 'The value when none is given.' })),
  description: Type.Optional(Type.String({ maxLength: 1_000 })),
};
export const TemplateParameterSchema = Type.Object(parameterFields, {
  title: 'TemplateParameterInput',
  description: 'A parameter of the template.',
  ...closed,
});

/** A parameter as stored: complete, except a default and a description that were not given. */
export type TemplateParameter = {
  name: string;
  type: ParameterType;
  required: boolean;
  options: Json[];
  default?: Json;
  description?: string;
};

const Name = Type.String({
  maxLength: 100,
  pattern: String.raw`^[\p{L}\p{N}_][\p{L}\p{N}_ .-]*$`,
  'x-issue': 'must be 1 to 100 letters, digits, spaces and _.-, and begin with a letter, a digit or _',
});
/** Three integers without leading zeros. */
const versionField = (description: string) =>
  Type.String({
    pattern: String.raw`^(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})$`,
    'x-issue': 'must be major.minor.patch, such as 1.0.0',
    description,
  });

/**
 * `builtin`, `created_at` and `versions` are accepted and ignored, so that a GET response can be registered
 * as another version.
 */
export const CreateTemplateSchema = Type.Object(
  {
    templateName: Name,
    version: Type.Optional(versionField('major.minor.patch; default 1.0.0.')),
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
    parameters: Type.Optional(Type.Array(TemplateParameterSchema, { maxItems: 100 })),
    workflow: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'The body of a request that creates a workflow; its strings may contain {{ parameters.NAME }}.',
    }),
    builtin: Type.Optional(Type.Unknown()),
    created_at: Type.Optional(Type.Unknown()),
    versions: Type.Optional(Type.Unknown()),
  },
  closed,
);
export type CreateTemplate = Static<typeof CreateTemplateSchema>;

export const TemplateListQuerySchema = Type.Object(
  { ...pagingFields, search: Type.Optional(Type.String({ maxLength: 200 })) },
  closed,
);
export const TemplateQuerySchema = Type.Object(
  { version: Type.Optional(versionField('Default: the newest.')) },
  closed,
);
export const RemoveTemplateQuerySchema = Type.Object(
  { version: Type.Optional(versionField('Default: all of them.')) },
  closed,
);
export const InstantiateSchema = Type.Object(
  {
    parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Values by name.' })),
    version: Type.Optional(versionField('Default: the newest.')),
  },
  closed,
);

const summary = {
  templateName: Text(),
  version: Text('major.minor.patch'),
  description: Text(),
  parameters: Type.Array(
    defineResource('TemplateParameter', 'A parameter of the template.', {
      name: Text(),
      type: OneOf(parameterTypes),
      required: Type.Boolean(),
      options: Type.Array(AnyJson(), { description: 'The allowed values. Empty: any.' }),
      default: Type.Optional(AnyJson('The value when none is given.')),
      description: Type.Optional(Text()),
    }),
  ),
  builtin: Type.Boolean({
    description: 'Whether the template is included in Weft and available to every user.',
  }),
  created_at: nullable(Time('Null for a builtin template.')),
};
export const TemplateSummaryResource = defineResource('TemplateSummary', 'A template in a list.', summary);
export const TemplateListResource = defineList('TemplateList', 'templates', TemplateSummaryResource);
export const TemplateResource = defineResource('Template', 'A workflow with parameters.', {
  ...summary,
  workflow: JsonObject('The body of a request that creates a workflow, with its placeholders.'),
  versions: Type.Array(Text(), { description: 'All versions of this name, the newest first.' }),
});
export const DeletedTemplateResource = defineResource('DeletedTemplate', 'The template was deleted.', {
  templateName: Text(),
  deleted: Type.Literal(true),
});
