import { Type } from 'typebox';
import { formAccesses } from '../../contract/forms/form-access.ts';
import { closed, oneOfTexts } from '../schema.ts';
import { ui } from '../ui-hints.ts';

/** In characters: a data URL of about 200 KB. */
const MAX_LOGO_LENGTH = 280_000;

/** The fields that say who can open a page. The texts describe the page. */
export function createAccessFields(texts: { access: string; links: string }) {
  return {
    access: Type.Optional(
      oneOfTexts(formAccesses, {
        default: 'public',
        title: 'Access',
        ...ui({
          order: 5,
          hint: '',
          labels: { public: 'Everyone', link: 'Holders of a link', users: 'Signed-in users' },
        }),
        description: texts.access,
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
          description: texts.links,
        },
      ),
    ),
  };
}

/** The field for the look of a page. */
export function createBrandField(texts: { brand: string; name: string }) {
  return Type.Optional(
    closed(
      {
        name: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 100,
            title: 'Name',
            ...ui({ hint: '' }),
            description: texts.name,
          }),
        ),
        logo: Type.Optional(
          Type.String({
            maxLength: MAX_LOGO_LENGTH,
            title: 'Logo',
            ...ui({ placeholder: 'data:image/svg+xml;base64,…' }),
            description: 'An image as a data URL in base64: PNG, JPEG, GIF, WebP or SVG, of at most 200 KB.',
          }),
        ),
        colour: Type.Optional(
          Type.String({
            title: 'Color',
            ...ui({ placeholder: '#0f6d63', hint: '' }),
            description: 'The color of the button, such as #0f6d63.',
          }),
        ),
      },
      { title: 'Brand', ...ui({ advanced: true, hint: '' }), description: texts.brand },
    ),
  );
}
