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

/** The service requires exactly one of `document` and `url`. */
export const InstallPackSchema = Type.Object(
  {
    document: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The text of an OpenAPI 3.0, OpenAPI 3.1 or Swagger 2 document, in JSON or YAML. Required without `url`.',
      }),
    ),
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: 'The URL from which the document is loaded, through the egress policy.',
      }),
    ),
    name: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9][a-z0-9_]{0,63}$',
        'x-issue': 'must be 1 to 64 lower-case letters, digits and "_", and not begin with "_"',
        description: 'The name of the pack. Default: from the title of the document.',
      }),
    ),
    version: Type.Optional(
      versionField(
        'major.minor.patch. Default: the version that has the same document, otherwise from the version of the document. An installed version never changes.',
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
