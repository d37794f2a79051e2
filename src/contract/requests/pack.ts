import { Type, type Static } from 'typebox';
import { pagingFields } from '../paging.ts';

/** Requests about packs. */

const closed = { additionalProperties: false };

const versionField = (description: string) =>
  Type.String({
    pattern: '^(0|[1-9]\\d{0,8})\\.(0|[1-9]\\d{0,8})\\.(0|[1-9]\\d{0,8})$',
    'x-issue': 'must be a version of the form major.minor.patch, such as 1.0.0',
    description,
  });

/** The service requires exactly one of `document`, `url`, `package` and `archive`. */
export const InstallPackSchema = Type.Object(
  {
    document: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The text of an OpenAPI 3.0, OpenAPI 3.1 or Swagger 2 document, in JSON or YAML. Exactly one of `document`, `url`, `package` and `archive` is required.',
      }),
    ),
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: 'The URL from which the document is loaded, through the egress policy.',
      }),
    ),
    package: Type.Optional(
      Type.String({
        maxLength: 214,
        pattern: '^(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$',
        'x-issue': 'must be the name of an npm package, such as @activepieces/piece-slack',
        description:
          'The name of an npm package with actions (an Activepieces piece), whose `version` is loaded from the registry.',
      }),
    ),
    integrity: Type.Optional(
      Type.String({
        pattern: '^sha512-[A-Za-z0-9+/]{86}==$',
        'x-issue': 'must be sha512- and the hash in base64, as in package-lock.json',
        description:
          'The integrity that the archive of the package has. Required when the registry publishes no signing keys.',
      }),
    ),
    archive: Type.Optional(
      Type.String({
        minLength: 1,
        contentEncoding: 'base64',
        description: 'The archive of an npm package (.tgz), in base64, instead of one from the registry.',
      }),
    ),
    name: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9][a-z0-9_]{0,63}$',
        'x-issue': 'must be 1 to 64 lower-case letters, digits and "_", and not begin with "_"',
        description:
          'The name of the pack. Default: from the title of the document or from the name of the package.',
      }),
    ),
    version: Type.Optional(
      versionField(
        'major.minor.patch. Required for `package`: exactly this version. Default: the version that has the same document, otherwise from the version of the document. An installed version never changes.',
      ),
    ),
    dry_run: Type.Optional(
      Type.Boolean({ description: 'Whether only to show what would be installed. Default: false.' }),
    ),
  },
  closed,
);
export type InstallPack = Static<typeof InstallPackSchema>;

export const PackListQuerySchema = Type.Object(
  {
    ...pagingFields,
    search: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Text in the name, the title or the description, ignoring case.',
      }),
    ),
  },
  closed,
);

export const PackQuerySchema = Type.Object(
  { version: Type.Optional(versionField('Default: the newest.')) },
  closed,
);

export const PackUseQuerySchema = Type.Object(
  { version: Type.Optional(versionField('Exactly this version. Default: all versions.')) },
  closed,
);

export const RemovePackQuerySchema = Type.Object(PackUseQuerySchema.properties, closed);

export const PackOperationListQuerySchema = Type.Object(
  {
    ...pagingFields,
    version: Type.Optional(versionField('Default: the newest.')),
    search: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Words that the id, title, path or tags contain, ignoring case.',
      }),
    ),
  },
  closed,
);

export const PutPackAppSchema = Type.Object(
  {
    signing_secret: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'The secret with which the service signs its requests, from the settings of the app.',
    }),
  },
  { title: 'PutPackAppInput', additionalProperties: false },
);

/** The service requires exactly one of `operation` and `event`. */
export const ListPackChoicesSchema = Type.Object(
  {
    version: Type.Optional(versionField('Default: the newest.')),
    operation: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The operation that has the field. Exactly one of `operation` and `event` is required.',
      }),
    ),
    event: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'The trigger that has the field.' }),
    ),
    field: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'A field of the configuration whose schema has `loads` in the keyword `x-ui`.',
    }),
    authentication: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'How the node authenticates: `{"type": "connection", "connection": "slack"}`. It may use `{{ secrets.NAME }}`.',
      }),
    ),
    values: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'The values of other fields of the configuration, at least of those in `loads`. Default: none.',
      }),
    ),
    search: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'Text to search for, which the pack may ignore. Default: none.',
      }),
    ),
    refresh: Type.Optional(
      Type.Boolean({
        description:
          'Whether to load from the service instead of the cache. Default: false. Choices are cached for one minute.',
      }),
    ),
  },
  { title: 'ListPackChoicesInput', additionalProperties: false },
);
export type ListPackChoices = Static<typeof ListPackChoicesSchema>;
