import { Type, type Static } from 'typebox';
import type { Json } from '../../lib/json/json.ts';
import { pagingFields } from '../paging.ts';
import { AnyJson, JsonObject, OneOf, Text, Time, listOf, nullable, resource } from '../resources/resource.ts';

/** Workflow templates: what a caller sends, and what answers show. */

const closed = { additionalProperties: false };

/**
 * What a parameter takes. `select`: one of its options, of whatever type. `secret`: the name of a stored secret, which
 * `{{ secrets[parameters.NAME] }}` reads when the workflow runs.
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
      description: 'The only values taken. Empty or absent: any.',
    }),
  ),
  default: Type.Optional(Type.Unknown({ description: 'Taken when none is given.' })),
  description: Type.Optional(Type.String({ maxLength: 1_000 })),
};
export const TemplateParameterSchema = Type.Object(parameterFields, {
  title: 'TemplateParameterInput',
  description: 'What an instance may choose.',
  ...closed,
});

/** A parameter as it is stored: nothing left out but a default and a description that were not given. */
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
/** Three whole numbers without zeros in front. */
const versionOf = (description: string) =>
  Type.String({
    pattern: String.raw`^(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})$`,
    'x-issue': 'must be major.minor.patch, such as 1.0.0',
    description,
  });

/** `builtin`, `created_at` and `versions` are taken and ignored, so that what GET shows can be registered as another version. */
export const CreateTemplateSchema = Type.Object(
  {
    templateName: Name,
    version: Type.Optional(versionOf('major.minor.patch; default 1.0.0.')),
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
    parameters: Type.Optional(Type.Array(TemplateParameterSchema, { maxItems: 100 })),
    workflow: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'The body of a request that creates a workflow; {{ parameters.NAME }} may stand in its texts.',
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
  { version: Type.Optional(versionOf('Default: the newest.')) },
  closed,
);
export const RemoveTemplateQuerySchema = Type.Object(
  { version: Type.Optional(versionOf('Default: all of them.')) },
  closed,
);
export const InstantiateSchema = Type.Object(
  {
    parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Values by name.' })),
    version: Type.Optional(versionOf('Default: the newest.')),
  },
  closed,
);

const summary = {
  templateName: Text(),
  version: Text('major.minor.patch'),
  description: Text(),
  parameters: Type.Array(
    resource('TemplateParameter', 'What an instance may choose.', {
      name: Text(),
      type: OneOf(parameterTypes),
      required: Type.Boolean(),
      options: Type.Array(AnyJson(), { description: 'The only values taken. Empty: any.' }),
      default: Type.Optional(AnyJson('Taken when none is given.')),
      description: Type.Optional(Text()),
    }),
  ),
  builtin: Type.Boolean({ description: 'It comes with Weft, and is there for everyone.' }),
  created_at: nullable(Time('Null for one that comes with Weft.')),
};
export const TemplateSummaryResource = resource('TemplateSummary', 'A template in a list.', summary);
export const TemplateListResource = listOf('TemplateList', 'templates', TemplateSummaryResource);
export const TemplateResource = resource('Template', 'A workflow with places for parameters.', {
  ...summary,
  workflow: JsonObject('The body of a request that creates a workflow, with its placeholders.'),
  versions: Type.Array(Text(), { description: 'All versions of this name, the newest first.' }),
});
export const DeletedTemplateResource = resource('DeletedTemplate', 'It is gone.', {
  templateName: Text(),
  deleted: Type.Literal(true),
});
