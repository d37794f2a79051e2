import { Type } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../lib/json/json.ts';
import { validateAccess, validateBrand } from '../forms/access-check.ts';
import { createAccessFields, createBrandField } from '../forms/access-schema.ts';
import { output } from '../output-schema.ts';
import { closed } from '../schema.ts';
import { ui } from '../ui-hints.ts';

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

export const chat = closed(
  {
    triggerType: Type.Literal('chat'),
    name: Type.String({
      minLength: 1,
      maxLength: 64,
      title: 'Model name',
      ...ui({ order: 1, placeholder: 'support', hint: '' }),
      description:
        'What clients send as model: letters, digits, ., - and _. Each of your active workflows needs a name of its own.',
    }),
    page: Type.Optional(
      closed(
        {
          title: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 200,
              title: 'Title',
              ...ui({ order: 1, hint: '', placeholder: 'Support' }),
              description: 'The title of the page. Default: the name of the model.',
            }),
          ),
          welcome: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 2_000,
              title: 'Welcome',
              ...ui({ order: 2, hint: '', placeholder: 'How can we help you?' }),
              description: 'A text before the first message. Line breaks are kept.',
            }),
          ),
          ...createAccessFields({
            access:
              'Who can open the page. public: everyone. link: holders of one of the links. users: users of this service who are signed in; the output names the user.',
            links:
              'The links of the page. Removing a link revokes it. The URLs are in the triggers of the workflow.',
          }),
          files: Type.Optional(
            Type.Boolean({
              default: false,
              title: 'Files',
              ...ui({ order: 7 }),
              description: 'Whether people can attach files: at most 5 to a message, of 10 MiB together.',
            }),
          ),
          embed_origins: Type.Optional(
            Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
              maxItems: 50,
              title: 'Sites that embed the page',
              ...ui({ advanced: true, placeholder: 'https://www.example.com' }),
              description:
                'Origins such as https://www.example.com whose pages may show the chat. Default: none.',
            }),
          ),
          brand: createBrandField({ brand: 'The look of the page.', name: 'The name above the chat.' }),
        },
        {
          title: 'Chat page',
          ...ui({ order: 2, hint: '' }),
          description:
            'A page on which people chat with the workflow. Its URL is in the triggers of the workflow. Default: no page.',
        },
      ),
    ),
  },
  {
    title: 'Chat',
    ...output(
      Type.Object({
        message: Type.String({ examples: ['Where is order A-17?'] }),
        messages: Type.Array(Type.Object({ role: Type.String({ examples: ['user'] }), content: Type.Any() })),
        model: Type.String(),
        user: Type.Union([Type.String(), Type.Null()]),
        conversation: Type.String({ examples: ['usr_01kjqtz9h4n2xe.4Kq0zR7cVb1mXs2w'] }),
        parameters: Type.Object({}),
      }),
    ),
  },
);

/** Validation that the schema cannot express. */
export function validateChat({ name, page }: JsonObject): FieldError[] {
  return [
    ...(typeof name === 'string' && !NAME.test(name)
      ? [{ field: 'name', issue: 'must have only letters, digits, ., - and _' }]
      : []),
    ...(isObject(page ?? null) ? validatePage(page as JsonObject) : []),
  ];
}

function validatePage(page: JsonObject): FieldError[] {
  const { embed_origins: origins, access, brand } = page;
  const given = Array.isArray(origins) ? origins : [];
  return [
    ...validateAccess(page, 'page.'),
    ...validateBrand(brand, 'page.'),
    ...given.flatMap((origin, i) =>
      typeof origin === 'string' && isOrigin(origin)
        ? []
        : [{ field: `page.embed_origins[${i}]`, issue: 'must be an origin such as https://www.example.com' }],
    ),
    // Browsers do not send the session of the editor to a page in a frame of another site.
    ...(given.length > 0 && access === 'users'
      ? [{ field: 'page.embed_origins', issue: 'is not supported by the access users' }]
      : []),
  ];
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text;
}
