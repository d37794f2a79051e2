import { Type, type Static } from 'typebox';
import { DisplayName, OptionalName } from '../display-name.ts';
import { plans, roles } from '../principal.ts';
import { scopes } from '../scopes.ts';

const closed = { additionalProperties: false };

/** In characters. Longer passwords are rejected before they are hashed. */
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 200;
/** Maximum size of a secret's value, in bytes. */
export const SECRET_MAX_BYTES = 64 * 1024;

/**
 * Deliberately loose: one `@`, no spaces, no characters that could break a mail header. `admin@localhost` is
 * valid.
 */
export const EMAIL_PATTERN = String.raw`^[^\s@<>()\[\],;:\\"\u0000-\u001f\u007f]+@[^\s@<>()\[\],;:\\"/\u0000-\u001f\u007f]+$`;

const Email = Type.String({
  maxLength: 254,
  pattern: EMAIL_PATTERN,
  'x-issue': 'must be an email address of at most 254 characters',
});
const NewPassword = Type.String({ minLength: MIN_PASSWORD_LENGTH, maxLength: MAX_PASSWORD_LENGTH });
const InitialPassword = Type.String({ minLength: 1, maxLength: MAX_PASSWORD_LENGTH });
const PersonName = OptionalName(200);
const RoleName = Type.Enum([...roles]);
const PlanName = Type.Enum([...plans]);

export const LoginInput = Type.Object(
  { email: Type.String({ minLength: 1, maxLength: 254 }), password: InitialPassword },
  { title: 'LoginInput', ...closed },
);
export type LoginInput = Static<typeof LoginInput>;

export const RefreshInput = Type.Object(
  {
    token: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4096,
        description: 'The current token, unless it is in `Authorization`.',
      }),
    ),
  },
  { title: 'RefreshInput', ...closed },
);

export const ChangePasswordInput = Type.Object(
  { current_password: InitialPassword, new_password: NewPassword },
  { title: 'ChangePasswordInput', ...closed },
);

export const CreateUserInput = Type.Object(
  {
    email: Email,
    password: NewPassword,
    name: Type.Optional(PersonName),
    role: Type.Optional(RoleName),
    plan: Type.Optional(PlanName),
  },
  { title: 'CreateUserInput', ...closed },
);

/** `id` and `created_at` are accepted and ignored, so that a GET response can be edited and sent with PUT. */
export const UpdateUserInput = Type.Object(
  {
    email: Type.Optional(Email),
    password: Type.Optional(NewPassword),
    name: Type.Optional(PersonName),
    role: Type.Optional(RoleName),
    plan: Type.Optional(PlanName),
    id: Type.Optional(Type.Unknown()),
    created_at: Type.Optional(Type.Unknown()),
  },
  { title: 'UpdateUserInput', ...closed },
);

export const CreateApiKeyInput = Type.Object(
  {
    name: DisplayName(200),
    scopes: Type.Optional(
      Type.Union(
        [
          Type.Array(Type.Enum([...scopes]), { minItems: 1, uniqueItems: true, maxItems: scopes.length }),
          Type.Null(),
        ],
        {
          description:
            "The key's permissions. Null or absent: all permissions of its owner, except actions that require a session.",
        },
      ),
    ),
    expires_at: Type.Optional(
      Type.Union([Type.String({ format: 'date-time', maxLength: 40 }), Type.Null()], {
        description: 'Null or absent: never.',
      }),
    ),
  },
  { title: 'CreateApiKeyInput', ...closed },
);

export const SECRET_NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_]{0,63}$';

/** A host name or address, with or without a port: `api.example.com`, `10.0.0.5:8443`, `[::1]:80`. */
const Host = Type.String({
  maxLength: 260,
  pattern: String.raw`^(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$`,
  'x-issue': 'must be a host name or address, with or without a port, such as api.example.com',
});

/** `name`, `created_at` and `updated_at` are accepted and ignored. */
export const PutSecretInput = Type.Object(
  {
    value: Type.String({ minLength: 1, maxLength: SECRET_MAX_BYTES }),
    hosts: Type.Optional(
      Type.Union([Type.Array(Host, { minItems: 1, maxItems: 50, uniqueItems: true }), Type.Null()], {
        description: 'The hosts that the value may be sent to. Null or absent: any host.',
      }),
    ),
    description: Type.Optional(Type.String({ maxLength: 1000 })),
    name: Type.Optional(Type.Unknown()),
    created_at: Type.Optional(Type.Unknown()),
    updated_at: Type.Optional(Type.Unknown()),
  },
  { title: 'PutSecretInput', ...closed },
);
