import { Type } from 'typebox';
import { formAccesses } from '../../contract/forms/form-access.ts';
import { MAX_LABEL, MAX_TEXT } from '../forms/field-schema.ts';
import { createFormProperties } from '../forms/form-schema.ts';
import { output } from '../output-schema.ts';
import { closed, oneOfTexts } from '../schema.ts';
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
      maxLength: MAX_LABEL,
      title: 'Title',
      ...ui({ order: 2, hint: '', placeholder: 'Contact us' }),
      description: 'The title of the form.',
    }),
    access: Type.Optional(
      oneOfTexts(formAccesses, {
        default: 'public',
        title: 'Access',
        ...ui({
          order: 5,
          hint: '',
          labels: { public: 'Everyone', link: 'Holders of a link', users: 'Signed-in users' },
        }),
        description:
          'Who can open the form. public: everyone. link: holders of one of the links. users: users of this service who are signed in; the output names who submitted.',
      }),
    ),
    links: Type.Optional(
      Type.Array(
        closed({
          name: Type.String({
            minLength: 1,
            maxLength: 100,
            title: 'Name',
            ...ui({ placeholder: 'customers', hint: '' }),
            description: 'The name of the link. The output contains it.',
          }),
          expires_at: Type.String({
            minLength: 10,
            maxLength: 40,
            title: 'Expires',
            ...ui({ placeholder: '2027-01-31', hint: 'A date, or a time such as 2027-01-31T18:00:00Z.' }),
            description:
              'When the link ends: a date, whose end in UTC it is, or a time such as 2027-01-31T18:00:00Z.',
          }),
        }),
        {
          minItems: 1,
          maxItems: 100,
          title: 'Links',
          ...ui({ order: 6, showWhen: { access: 'link' } }),
          description:
            'The links of the form. Removing a link revokes it. The URLs are in the triggers of the workflow.',
        },
      ),
    ),
    ...createFormProperties({
      maxDefault: MAX_TEXT,
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
