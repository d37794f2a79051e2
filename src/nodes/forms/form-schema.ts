import { Type } from 'typebox';
import { formFieldTypes } from '../../contract/forms/form.ts';
import { ui } from '../ui-hints.ts';
import { createBrandField } from './access-schema.ts';
import { MAX_LABEL_LENGTH, MAX_TEXT_LENGTH, createFieldSchema } from './field-schema.ts';

const MAX_FIELDS = 200;

/** The properties of the configuration of a form, after its title. `maxDefault` is in characters. */
export function createFormProperties(initial: { maxDefault: number; defaultText: string }) {
  return {
    description: Type.Optional(
      Type.String({
        maxLength: MAX_TEXT_LENGTH,
        title: 'Introduction',
        ...ui({ order: 3, hint: '' }),
        description: 'A text below the title. Line breaks are kept.',
      }),
    ),
    fields: Type.Array(createFieldSchema(formFieldTypes, initial), {
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
        maxLength: MAX_LABEL_LENGTH,
        title: 'Title of the final page',
        ...ui({ advanced: true, placeholder: 'Thank you', hint: '' }),
        description: 'The title of the page after the submission. Default: Thank you.',
      }),
    ),
    final_text: Type.Optional(
      Type.String({
        maxLength: MAX_TEXT_LENGTH,
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
    brand: createBrandField({ brand: 'The look of the form.', name: 'The name above the form.' }),
  };
}
