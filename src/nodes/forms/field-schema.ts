import { Type } from 'typebox';
import { formFieldTypes, type FormFieldType } from '../../contract/forms/form.ts';
import { closed, oneOfTexts } from '../schema.ts';
import { ui } from '../ui-hints.ts';

const MAX_OPTIONS = 200;
export const MAX_LABEL_LENGTH = 500;
/** Of hints and other texts for people, in characters. */
export const MAX_TEXT_LENGTH = 5_000;

const LABELS: Readonly<Record<FormFieldType, string>> = {
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
};

/** The schema of a field of a form that may have these types. `maxDefault` is in characters. */
export function createFieldSchema(
  fieldTypes: readonly FormFieldType[],
  { maxDefault, defaultText }: { maxDefault: number; defaultText: string },
) {
  const only = (...types: readonly FormFieldType[]) => ({
    showWhen: { type: types.filter((type) => fieldTypes.includes(type)) },
  });
  const hideFor = (...types: readonly FormFieldType[]) =>
    only(...formFieldTypes.filter((type) => !types.includes(type)));
  return closed({
    type: oneOfTexts(fieldTypes, {
      title: 'Type',
      ...ui({
        order: 1,
        hint: '',
        labels: Object.fromEntries(fieldTypes.map((type) => [type, LABELS[type]])),
      }),
      description: `The type of the field.${fieldTypes.includes('page') ? ' page begins another page of the form; its label and hint are the heading and the introduction of that page.' : ''}`,
    }),
    label: Type.String({
      minLength: 1,
      maxLength: MAX_LABEL_LENGTH,
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
          required: true,
          ...hideFor('page'),
          hint: '',
        }),
        description: fieldTypes.includes('page')
          ? 'The name of the value in fields of the output: letters, digits and "_", beginning with a letter. Required except for page.'
          : 'The name of the value in values of the output: letters, digits and "_", beginning with a letter. Required.',
      }),
    ),
    required: Type.Optional(
      Type.Boolean({
        default: false,
        title: 'Required',
        ...ui({
          order: 4,
          hint: '',
          ...hideFor('page', 'hidden'),
        }),
        description: 'Whether a value is required while the field is shown.',
      }),
    ),
    options: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_LABEL_LENGTH }), {
        minItems: 1,
        maxItems: MAX_OPTIONS,
        title: 'Options',
        ...ui({ order: 5, hint: '', ...only('choice', 'choices') }),
        description: 'The options of choice and choices.',
      }),
    ),
    hint: Type.Optional(
      Type.String({
        maxLength: MAX_TEXT_LENGTH,
        title: 'Hint',
        ...ui({ advanced: true, hint: '' }),
        description: 'A text below the label.',
      }),
    ),
    default: Type.Optional(
      // A template of a number is evaluated to a number.
      Type.Unsafe<string | number>({
        type: ['string', 'number'],
        maxLength: maxDefault,
        title: 'Default',
        ...ui({
          advanced: true,
          ...hideFor('consent', 'file', 'page'),
        }),
        description: defaultText,
      }),
    ),
    min: Type.Optional(
      Type.Number({
        title: 'Minimum',
        ...ui({ advanced: true, ...only('text', 'long_text', 'number', 'choices') }),
        description: 'The smallest number, or the smallest number of characters or of chosen options.',
      }),
    ),
    max: Type.Optional(
      Type.Number({
        title: 'Maximum',
        ...ui({ advanced: true, ...only('text', 'long_text', 'number', 'choices', 'file') }),
        description:
          'The largest number, or the largest number of characters or of chosen options, or the largest size of a file in MiB.',
      }),
    ),
    accept: Type.Optional(
      Type.Array(Type.String({ minLength: 2, maxLength: 100 }), {
        minItems: 1,
        maxItems: 20,
        title: 'File types',
        ...ui({ advanced: true, ...only('file') }),
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
          ...ui({ advanced: true, ...hideFor('page') }),
          description: 'Shows the field only if an earlier field has a value. A hidden field has no value.',
        },
      ),
    ),
  });
}
