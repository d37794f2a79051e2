import { Type } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
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
  },
  {
    title: 'Chat',
    ...output(
      Type.Object({
        message: Type.String({ examples: ['Where is order A-17?'] }),
        messages: Type.Array(Type.Object({ role: Type.String({ examples: ['user'] }), content: Type.Any() })),
        model: Type.String(),
        user: Type.Union([Type.String(), Type.Null()]),
        parameters: Type.Object({}),
      }),
    ),
  },
);

/** Validation that the schema cannot express. */
export function validateChat({ name }: JsonObject): FieldError[] {
  return typeof name === 'string' && !NAME.test(name)
    ? [{ field: 'name', issue: 'must have only letters, digits, ., - and _' }]
    : [];
}
