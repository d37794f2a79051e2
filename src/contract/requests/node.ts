import { Type } from 'typebox';
import type { CodeBundle } from '../packs/packages.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { nodeCategories } from '../node-type.ts';

/** Maximum length of user code, in characters. */
export const MAX_SOURCE_LENGTH = 256 * 1024;

/** `search` matches name, description and keywords; `version` lists exactly this version of each type. */
export const NodeQuerySchema = Type.Object(
  {
    category: Type.Optional(Type.Enum([...nodeCategories])),
    search: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Text in the name, the description or a keyword, ignoring case.',
      }),
    ),
    version: Type.Optional(
      Type.String({ maxLength: 50, description: 'Exactly this version. Default: the newest of each.' }),
    ),
  },
  { additionalProperties: false },
);

/** One version, or all of them. */
export const RemoveNodeQuerySchema = Type.Object(
  {
    version: Type.Optional(
      Type.String({ maxLength: 50, description: 'Exactly this version. Default: all versions.' }),
    ),
  },
  { additionalProperties: false },
);

/** Types of a custom node's inputs and outputs. */
export const customTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'any'] as const;
export type CustomType = (typeof customTypes)[number];

const customType = Type.Enum([...customTypes]);
const MAX_FIELDS = 100;
const MAX_KEYWORDS = 50;
const MAX_KEYWORD_LENGTH = 50;

/** Maximum number of packages of one version. */
export const MAX_PACKAGES = 100;

const LockedPackageSchema = Type.Object(
  {
    version: Type.String({
      maxLength: 100,
      pattern: '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$',
      'x-issue': 'must be one exact version, such as 4.17.21',
    }),
    integrity: Type.String({
      maxLength: 100,
      pattern: '^sha512-[A-Za-z0-9+/]{86}==$',
      'x-issue': 'must be the sha512 hash of the archive as in package-lock.json: sha512-…',
    }),
  },
  { title: 'LockedPackageInput', additionalProperties: false },
);

/** What a custom node takes, returns and does. */
const codeFields = {
  inputs: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object(
        {
          type: customType,
          required: Type.Optional(Type.Boolean()),
          description: Type.Optional(Type.String({ maxLength: 2_000 })),
          validation: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        },
        { title: 'CustomNodeFieldInput', additionalProperties: false },
      ),
      {
        maxProperties: MAX_FIELDS,
        description: 'Inputs by name: `type`, `required`, and in `validation` a JSON Schema for its values.',
      },
    ),
  ),
  outputs: Type.Optional(
    Type.Record(Type.String(), customType, {
      maxProperties: MAX_FIELDS,
      description: 'Types by output name. The handler returns an object with all outputs.',
    }),
  ),
  implementation: Type.Object(
    {
      runtime: Type.Enum(['javascript']),
      handler: Type.String({
        minLength: 1,
        maxLength: MAX_SOURCE_LENGTH,
        description: 'An ES module whose default export is called with the inputs by name.',
      }),
      dependencies: Type.Optional(
        Type.Record(Type.String(), LockedPackageSchema, {
          maxProperties: MAX_PACKAGES,
          description:
            'All required npm packages by install path: `{"lodash": {"version": "4.17.21", "integrity": "sha512-…"}}`. They are downloaded, verified and bundled with the handler once, when it is registered; their scripts do not run.',
        }),
      ),
    },
    {
      title: 'CustomNodeImplementationInput',
      additionalProperties: false,
      description: 'What the node does.',
    },
  ),
};

/** A custom node to register. The service validates the names of inputs and outputs. */
export const RegisterNodeSchema = Type.Object(
  {
    nodeType: Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,99}$',
      'x-issue':
        'must be a name of letters, digits, "_", "." and "-" that begins with a letter, at most 100 characters',
      description: 'The name by which workflows use it.',
    }),
    description: Type.Optional(Type.String({ maxLength: 2_000 })),
    keywords: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_KEYWORD_LENGTH }), {
        maxItems: MAX_KEYWORDS,
        uniqueItems: true,
        description: 'Other words by which people search for the node, most important first.',
      }),
    ),
    version: Type.Optional(
      Type.String({
        pattern: '^(0|[1-9]\\d{0,8})\\.(0|[1-9]\\d{0,8})\\.(0|[1-9]\\d{0,8})$',
        'x-issue': 'must be a version of the form major.minor.patch, such as 1.0.0',
        description: 'major.minor.patch. Default: 1.0.0. A registered version never changes.',
      }),
    ),
    ...codeFields,
  },
  { additionalProperties: false },
);

/** Longest run of a test, in ms. */
export const MAX_TEST_MS = 30_000;

/** A custom node to run once, without registering it. */
export const TestNodeSchema = Type.Object(
  {
    ...codeFields,
    values: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: MAX_FIELDS,
        description: 'The inputs by name, as they are: templates are not evaluated.',
      }),
    ),
    timeout: Type.Optional(
      Type.String({ maxLength: 50, description: 'Maximum run time, up to 30s. Default: 5s.' }),
    ),
  },
  { additionalProperties: false },
);

/** A registered version of a custom node. */
export type CustomNode = {
  nodeType: string;
  version: string;
  description: string;
  /** Left out by nodes that were registered before there were keywords. */
  keywords?: readonly string[];
  inputs: {
    name: string;
    type: CustomType;
    required: boolean;
    description: string;
    validation: JsonObject | null;
  }[];
  outputs: { name: string; type: CustomType }[];
  handler: string;
  /** The code that runs instead of the handler when the node has dependencies. */
  bundle?: CodeBundle;
};
