import { Type } from 'typebox';
import type { CodeBundle } from '../packages.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { nodeCategories } from '../node-type.ts';

/** Characters of one piece of user code. */
export const MAX_SOURCE = 256 * 1024;

/** `search` looks in name and description; `version` gives the types of exactly this version. */
export const NodeQuerySchema = Type.Object(
  {
    category: Type.Optional(Type.Enum([...nodeCategories])),
    search: Type.Optional(
      Type.String({ maxLength: 200, description: 'Stands in the name or the description, in any case.' }),
    ),
    version: Type.Optional(
      Type.String({ maxLength: 50, description: 'Exactly this version; without it the newest of each.' }),
    ),
  },
  { additionalProperties: false },
);

/** One version, or all of them. */
export const RemoveNodeQuerySchema = Type.Object(
  {
    version: Type.Optional(
      Type.String({ maxLength: 50, description: 'Exactly this version; without it all.' }),
    ),
  },
  { additionalProperties: false },
);

/** What inputs and outputs of a custom node may be. */
export const customTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'any'] as const;
export type CustomType = (typeof customTypes)[number];

const customType = Type.Enum([...customTypes]);
const MAX_FIELDS = 100;

/** Packages that one version may have. */
export const MAX_PACKAGES = 100;

const LockedPackageSchema = Type.Object(
  {
    version: Type.String({
      maxLength: 100,
      pattern: '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$',
      'x-issue': 'takes one exact version, such as 4.17.21',
    }),
    integrity: Type.String({
      maxLength: 100,
      pattern: '^sha512-[A-Za-z0-9+/]{86}==$',
      'x-issue': 'takes the sha512 hash of the archive as package-lock.json has it: sha512-…',
    }),
  },
  { title: 'LockedPackageInput', additionalProperties: false },
);

/** A custom node, as it is registered. The names of inputs and outputs are checked by the service. */
export const RegisterNodeSchema = Type.Object(
  {
    nodeType: Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,99}$',
      'x-issue':
        'takes a name of letters, digits, "_", "." and "-" that begins with a letter, at most 100 characters',
      description: 'The name by which workflows use it.',
    }),
    description: Type.Optional(Type.String({ maxLength: 2_000 })),
    version: Type.Optional(
      Type.String({
        pattern: '^(0|[1-9]\\d{0,8})\\.(0|[1-9]\\d{0,8})\\.(0|[1-9]\\d{0,8})$',
        'x-issue': 'takes a version of the form major.minor.patch, such as 1.0.0',
        description: 'major.minor.patch; 1.0.0 unless given. A version once registered never changes.',
      }),
    ),
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
          description:
            'By name: `type`, whether it is `required`, and in `validation` a JSON Schema that its values must fit.',
        },
      ),
    ),
    outputs: Type.Optional(
      Type.Record(Type.String(), customType, {
        maxProperties: MAX_FIELDS,
        description: 'By name: the type. The handler gives an object with all of them.',
      }),
    ),
    implementation: Type.Object(
      {
        runtime: Type.Enum(['javascript']),
        handler: Type.String({
          minLength: 1,
          maxLength: MAX_SOURCE,
          description: 'An ES module whose default export is called with the inputs by name.',
        }),
        dependencies: Type.Optional(
          Type.Record(Type.String(), LockedPackageSchema, {
            maxProperties: MAX_PACKAGES,
            description:
              'npm packages, all that are needed, by install path: `{"lodash": {"version": "4.17.21", "integrity": "sha512-…"}}`. They are fetched, checked and bundled with the handler once, when it is registered, and not run.',
          }),
        ),
      },
      {
        title: 'CustomNodeImplementationInput',
        additionalProperties: false,
        description: 'What it does.',
      },
    ),
  },
  { additionalProperties: false },
);

/** A registered version of a custom node. */
export type CustomNode = {
  nodeType: string;
  version: string;
  description: string;
  inputs: {
    name: string;
    type: CustomType;
    required: boolean;
    description: string;
    validation: JsonObject | null;
  }[];
  outputs: { name: string; type: CustomType }[];
  handler: string;
  /** What runs in place of the handler, when it has dependencies. */
  bundle?: CodeBundle;
};
