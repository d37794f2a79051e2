import { Type } from 'typebox';
import { createAccessFields } from '../forms/access-schema.ts';
import { MAX_LABEL_LENGTH, MAX_TEXT_LENGTH } from '../forms/field-schema.ts';
import { createFormProperties } from '../forms/form-schema.ts';
import { output } from '../output-schema.ts';
import { closed } from '../schema.ts';
import { ui } from '../ui-hints.ts';

export const form = closed(
  {
    triggerType: Type.Literal('form'),
    endpoint: Type.String({
      minLength: 1,
      maxLength: 500,
      title: 'Path',
      ...ui({ order: 1, placeholder: 'contact', hint: 'The part of the URL after /forms/.' }),
      description: 'The path after {base_url}/forms/. The first segment belongs to one user.',
    }),
    title: Type.String({
      minLength: 1,
      maxLength: MAX_LABEL_LENGTH,
      title: 'Title',
      ...ui({ order: 2, hint: '', placeholder: 'Contact us' }),
      description: 'The title of the form.',
    }),
    ...createAccessFields({
      access:
        'Who can open the form. public: everyone. link: holders of one of the links. users: users of this service who are signed in; the output names who submitted.',
      links:
        'The links of the form. Removing a link revokes it. The URLs are in the triggers of the workflow.',
    }),
    ...createFormProperties({
      maxDefault: MAX_TEXT_LENGTH,
      defaultText:
        'The initial value. A parameter of the URL with the name of the field, such as ?email=ada@example.com, replaces it.',
    }),
  },
  {
    title: 'Form',
    ...output(
      Type.Object({
        fields: Type.Object({}),
        submitted_at: Type.String({ format: 'date-time' }),
        submitted_by: Type.Optional(Type.Object({ user_id: Type.String(), email: Type.String() })),
        link: Type.Optional(Type.String()),
      }),
    ),
  },
);
