import type { FieldError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../lib/json/json.ts';
import { validateFormFields } from '../forms/field-check.ts';
import { validateEndpoint } from './webhook-check.ts';

const COLOUR = /^#[0-9a-f]{6}$/i;
const LOGO = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/;

/** Validation that the schema cannot express. */
export function validateForm(config: JsonObject): FieldError[] {
  const entries = (Array.isArray(config['fields']) ? config['fields'] : []).filter(isObject);
  return [
    ...validatePath(config['endpoint'] as string),
    ...validateFormFields(entries),
    ...validatePages(entries),
    ...validateLooks(config),
  ];
}

function validatePath(endpoint: string): FieldError[] {
  if (endpoint.split('/').some((segment) => segment.startsWith(':')))
    return [{ field: 'endpoint', issue: 'must not have parameters such as :id' }];
  return validateEndpoint(endpoint);
}

/** Every page has a field, and files are on the last page: a browser sends a chosen file only once. */
function validatePages(entries: readonly JsonObject[]): FieldError[] {
  const lastBreak = entries.findLastIndex(({ type }) => type === 'page');
  return entries.flatMap(({ type }, i): FieldError[] => {
    if (type === 'file' && i < lastBreak)
      return [{ field: `fields[${i}].type`, issue: 'must not be file except on the last page' }];
    if (type !== 'page') return [];
    const next = entries[i + 1];
    if (i === 0)
      return [{ field: 'fields[0].type', issue: 'must not be page: the first page needs a field' }];
    return next === undefined || next['type'] === 'page'
      ? [{ field: `fields[${i}].type`, issue: 'must be followed by a field of this page' }]
      : [];
  });
}

function validateLooks({ brand, redirect }: JsonObject): FieldError[] {
  const { logo, colour } = isObject(brand) ? brand : {};
  const errors: FieldError[] = [];
  if (typeof redirect === 'string' && !isWebUrl(redirect))
    errors.push({ field: 'redirect', issue: 'must be an http or https URL' });
  if (typeof logo === 'string' && !LOGO.test(logo))
    errors.push({
      field: 'brand.logo',
      issue: 'must be a data URL in base64 of a PNG, JPEG, GIF, WebP or SVG image',
    });
  if (typeof colour === 'string' && !COLOUR.test(colour))
    errors.push({ field: 'brand.colour', issue: 'must be a colour such as #0f6d63' });
  return errors;
}

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
