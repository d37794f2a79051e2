import type { FieldError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../lib/json/json.ts';
import { isTemplated } from '../template-mode.ts';
import { validateBrand } from './access-check.ts';
import { validateFormFields } from './field-check.ts';

/**
 * What the schema of a form cannot express. With `hasTemplates`, defaults and the redirect may be templates.
 */
export function validateFormContent(config: JsonObject, hasTemplates = false): FieldError[] {
  const entries = (Array.isArray(config['fields']) ? config['fields'] : []).filter(isObject);
  return [
    ...validateFormFields(entries, hasTemplates),
    ...validatePages(entries),
    ...validateLooks(config, hasTemplates),
  ];
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

function validateLooks({ brand, redirect }: JsonObject, hasTemplates: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const isKnown = !hasTemplates || !isTemplated(redirect);
  if (typeof redirect === 'string' && isKnown && !isWebUrl(redirect))
    errors.push({ field: 'redirect', issue: 'must be an http or https URL' });
  errors.push(...validateBrand(brand));
  return errors;
}

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
