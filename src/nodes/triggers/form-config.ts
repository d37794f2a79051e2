import { Type } from 'typebox';
import { formFieldTypes } from '../../contract/forms/form.ts';
import { output } from '../output-schema.ts';
import { closed, oneOfTexts } from '../schema.ts';
import { ui } from '../ui-hints.ts';

const MAX_FIELDS = 200;
const MAX_OPTIONS = 200;
const MAX_LABEL = 500;
const MAX_TEXT = 5_000;
/** In characters: a data URL of about 200 KB. */
const MAX_LOGO = 280_000;

const types = (...shown: readonly (typeof formFieldTypes)[number][]) => ({ showWhen: { type: shown } });

const field = closed({
  type: oneOfTexts(formFieldTypes, {
    title: 'Type',
    ...ui({
      order: 1,
      hint: '',
      labels: {
        text: 'Text',
        long_text: 'Long text',
        email: 'Email',
        number: 'Number',
        date: 'Date',
        time: 'Time',
        date_time: 'Date and time',
        choice: 'Choice',
        choices: 'Several choices',
        consent: 'Consent',
        file: 'File',
        hidden: 'Hidden',
        page: 'Next page',
      },
    }),
    description:
      'The type of the field. page begins another page of the form; its label and hint are the heading and the introduction of that page.',
  }),
  label: Type.String({
    minLength: 1,
    maxLength: MAX_LABEL,
    title: 'Label',
    ...ui({ order: 2, hint: '' }),
    description: 'The label of the field. For a consent, it is the text that a person agrees to.',
  }),
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      title: 'Name in the output',
      ...ui({
        order: 3,
        placeholder: 'email',
        showWhen: { type: formFieldTypes.filter((type) => type !== 'page') },
        hint: '',
      }),
      description:
        'The name of the value in fields of the output: letters, digits and "_", beginning with a letter. Required except for page.',
    }),
  ),
  required: Type.Optional(
    Type.Boolean({
      default: false,
      title: 'Required',
      ...ui({
        order: 4,
        hint: '',
        showWhen: { type: formFieldTypes.filter((type) => type !== 'page' && type !== 'hidden') },
      }),
      description: 'Whether a value is required while the field is shown.',
    }),
  ),
  options: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_LABEL }), {
      minItems: 1,
      maxItems: MAX_OPTIONS,
      title: 'Options',
      ...ui({ order: 5, hint: '', ...types('choice', 'choices') }),
      description: 'The options of choice and choices.',
    }),
  ),
  hint: Type.Optional(
    Type.String({
      maxLength: MAX_TEXT,
      title: 'Hint',
      ...ui({ advanced: true, hint: '' }),
      description: 'A text below the label.',
    }),
  ),
  default: Type.Optional(
    Type.String({
      maxLength: MAX_TEXT,
      title: 'Default',
      ...ui({
        advanced: true,
        ...types(
          'text',
          'long_text',
          'email',
          'number',
          'date',
          'time',
          'date_time',
          'choice',
          'choices',
          'hidden',
        ),
      }),
      description:
        'The initial value. A parameter of the URL with the name of the field, such as ?email=ada@example.com, replaces it.',
    }),
  ),
  min: Type.Optional(
    Type.Number({
      title: 'Minimum',
      ...ui({ advanced: true, ...types('text', 'long_text', 'number', 'choices') }),
      description: 'The smallest number, or the smallest number of characters or of chosen options.',
    }),
  ),
  max: Type.Optional(
    Type.Number({
      title: 'Maximum',
      ...ui({ advanced: true, ...types('text', 'long_text', 'number', 'choices', 'file') }),
      description:
        'The largest number, or the largest number of characters or of chosen options, or the largest size of a file in MiB.',
    }),
  ),
  accept: Type.Optional(
    Type.Array(Type.String({ minLength: 2, maxLength: 100 }), {
      minItems: 1,
      maxItems: 20,
      title: 'File types',
      ...ui({ advanced: true, ...types('file') }),
      description:
        'Media types such as image/* or application/pdf, or extensions such as .pdf. Default: any file.',
    }),
  ),
  show_when: Type.Optional(
    closed(
      {
        field: Type.String({
          minLength: 1,
          maxLength: 64,
          title: 'Field',
          ...ui({ hint: '' }),
          description: 'The name of an earlier field of type choice, choices or consent.',
        }),
        equals: Type.Unsafe<string | boolean>({
          type: ['string', 'boolean'],
          title: 'Value',
          ...ui({ hint: '' }),
          description: 'One of its options. For a consent, true or false.',
        }),
      },
      {
        title: 'Show only if',
        ...ui({ advanced: true, showWhen: { type: formFieldTypes.filter((type) => type !== 'page') } }),
        description: 'Shows the field only if an earlier field has a value. A hidden field has no value.',
      },
    ),
  ),
});

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
    description: Type.Optional(
      Type.String({
        maxLength: MAX_TEXT,
        title: 'Introduction',
        ...ui({ order: 3, hint: '' }),
        description: 'A text below the title. Line breaks are kept.',
      }),
    ),
    fields: Type.Array(field, {
      minItems: 1,
      maxItems: MAX_FIELDS,
      title: 'Fields',
      ...ui({ order: 4, hint: '' }),
      description: 'The fields of the form, in order.',
    }),
    submit_label: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        title: 'Text of the button',
        ...ui({ advanced: true, placeholder: 'Submit', hint: '' }),
        description: 'The text of the button that submits the form. Default: Submit.',
      }),
    ),
    final_title: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_LABEL,
        title: 'Title of the final page',
        ...ui({ advanced: true, placeholder: 'Thank you', hint: '' }),
        description: 'The title of the page after the submission. Default: Thank you.',
      }),
    ),
    final_text: Type.Optional(
      Type.String({
        maxLength: MAX_TEXT,
        title: 'Text of the final page',
        ...ui({ advanced: true, hint: '' }),
        description: 'The text of the page after the submission. Default: Your response was received.',
      }),
    ),
    redirect: Type.Optional(
      Type.String({
        maxLength: 2_000,
        title: 'Redirect',
        ...ui({ advanced: true, placeholder: 'https://www.example.com/thanks' }),
        description:
          'Where the browser goes after the submission, instead of the final page: an http or https URL.',
      }),
    ),
    brand: Type.Optional(
      closed(
        {
          name: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 100,
              title: 'Name',
              ...ui({ hint: '' }),
              description: 'The name above the form.',
            }),
          ),
          logo: Type.Optional(
            Type.String({
              maxLength: MAX_LOGO,
              title: 'Logo',
              ...ui({ placeholder: 'data:image/svg+xml;base64,…' }),
              description:
                'An image as a data URL in base64: PNG, JPEG, GIF, WebP or SVG, of at most 200 KB.',
            }),
          ),
          colour: Type.Optional(
            Type.String({
              title: 'Colour',
              ...ui({ placeholder: '#0f6d63', hint: '' }),
              description: 'The colour of the button, such as #0f6d63.',
            }),
          ),
        },
        { title: 'Brand', ...ui({ advanced: true, hint: '' }), description: 'The look of the form.' },
      ),
    ),
  },
  {
    title: 'Form',
    ...output(Type.Object({ fields: Type.Object({}), submitted_at: Type.String({ format: 'date-time' }) })),
  },
);
