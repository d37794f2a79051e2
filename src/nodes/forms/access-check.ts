import type { FieldError } from '../../contract/errors.ts';
import { parseExpiry, readFormAccess, readFormLinks } from '../../contract/forms/form-access.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';

const CONTROL_CHARACTERS = /\p{Cc}/u;
const COLOR_PATTERN = /^#[0-9a-f]{6}$/i;
const LOGO = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/;

/** What the schema of the access cannot express. `prefix`: of the names of the fields. */
export function validateAccess(config: JsonObject, prefix = ''): FieldError[] {
  const links = readFormLinks(config);
  const isForLinks = readFormAccess(config) === 'link';
  if (isForLinks && links.length === 0)
    return [{ field: `${prefix}links`, issue: 'is required by the access link' }];
  if (!isForLinks && config['links'] !== undefined)
    return [{ field: `${prefix}links`, issue: 'is only supported by the access link' }];
  return links.flatMap(({ name, expiresAt }, i) => [
    ...(CONTROL_CHARACTERS.test(name)
      ? [
          {
            field: `${prefix}links[${i}].name`,
            issue: 'must not contain line breaks or other control characters',
          },
        ]
      : []),
    ...(links.findIndex((one) => one.name === name) < i
      ? [{ field: `${prefix}links[${i}].name`, issue: 'is used by another link' }]
      : []),
    ...(parseExpiry(expiresAt) === null
      ? [
          {
            field: `${prefix}links[${i}].expires_at`,
            issue: 'must be a date such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z',
          },
        ]
      : []),
  ]);
}

/** What the schema of the brand cannot express. */
export function validateBrand(brand: Json | undefined, prefix = ''): FieldError[] {
  const { logo, colour } = isObject(brand ?? null) ? (brand as JsonObject) : {};
  const errors: FieldError[] = [];
  if (typeof logo === 'string' && !LOGO.test(logo))
    errors.push({
      field: `${prefix}brand.logo`,
      issue: 'must be a data URL in base64 of a PNG, JPEG, GIF, WebP or SVG image',
    });
  if (typeof colour === 'string' && !COLOR_PATTERN.test(colour))
    errors.push({ field: `${prefix}brand.colour`, issue: 'must be a color such as #0f6d63' });
  return errors;
}
