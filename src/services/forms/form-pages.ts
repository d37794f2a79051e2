import { createValidationError, WeftError, type FieldError } from '../../contract/errors.ts';
import { listFormFields, type Form } from '../../contract/forms/form.ts';
import { readEntered, type EnteredValues } from '../../contract/forms/form-values.ts';
import type { FormTexts } from '../../contract/forms/texts/form-texts.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import { readWebhookBody } from '../webhooks/webhook-body.ts';
import type { TakeFile } from '../webhooks/webhook-files.ts';
import { validateFields } from './validate-form.ts';

const KEY = /^[\w-]{16,64}$/;
/** Names of the controls that are not fields. The names of fields begin with a letter. */
export const KEY_CONTROL = '_key';
export const PAGE_CONTROL = '_page';
export const ACTION_CONTROL = '_action';
const CONTROLS = [KEY_CONTROL, PAGE_CONTROL, ACTION_CONTROL];

/**
 * A page of a form to show. `page` counts from 0. `key` identifies the submission across pages and retries.
 */
export type FormView = {
  readonly form: Form;
  readonly page: number;
  readonly entered: EnteredValues;
  readonly errors: readonly FieldError[];
  readonly key: string;
  readonly texts: FormTexts;
};

/** `complete`: the last page was submitted, and every field is valid. */
export type SentPage =
  | { readonly kind: 'page'; readonly view: FormView }
  | { readonly kind: 'complete'; readonly values: JsonObject; readonly key: string };

/** `submitted`: the submission is stored, now or by an earlier request. */
export type FormPageResult =
  | { readonly kind: 'page'; readonly view: FormView }
  | { readonly kind: 'submitted'; readonly form: Form };

export type SentBody = { readonly contentType: string | undefined; readonly body: Buffer };

/**
 * Reads a submitted page of a form. Files are passed to `take`.
 * @throws {WeftError} VALIDATION_ERROR when the body is not of this form.
 */
export async function readSentPage(
  form: Form,
  sent: SentBody,
  take: TakeFile,
  texts: FormTexts,
): Promise<SentPage> {
  const body = await readWebhookBody(sent.body, { 'content-type': sent.contentType }, limits.json, take);
  if (!isObject(body)) throw createValidationError([{ field: 'body', issue: 'must be a form' }]);
  requireKnownNames(form, body);
  const key = body[KEY_CONTROL];
  if (typeof key !== 'string' || !KEY.test(key))
    throw createValidationError([{ field: KEY_CONTROL, issue: 'must be the value that the page contains' }]);
  const page = readPage(body[PAGE_CONTROL], form);
  const entered = readEntered(form, body);
  const view = (at: number, errors: readonly FieldError[]): SentPage => ({
    kind: 'page',
    view: { form, page: at, entered, errors, key, texts },
  });
  if (body[ACTION_CONTROL] === 'back') return view(Math.max(0, page - 1), []);
  const lastPage = form.pages.length - 1;
  if (page < lastPage) {
    const { errors } = validateFields(form, form.pages[page]!.fields, entered, texts);
    return errors.length > 0 ? view(page, errors) : view(page + 1, []);
  }
  const { values, errors } = validateFields(form, listFormFields(form), entered, texts);
  if (errors.length === 0) return { kind: 'complete', values, key };
  const [first] = errors;
  const wrong = form.pages.findIndex(({ fields }) => fields.some(({ name }) => name === first?.field));
  const names = new Set(form.pages[wrong]!.fields.map(({ name }) => name));
  return view(
    wrong,
    errors.filter(({ field }) => names.has(field)),
  );
}

function readPage(value: Json | undefined, form: Form): number {
  const page = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : NaN;
  if (!(page < form.pages.length))
    throw createValidationError([{ field: PAGE_CONTROL, issue: 'must be the value that the page contains' }]);
  return page;
}

/** The form may have changed since it was opened. What was entered must not be dropped silently. */
function requireKnownNames(form: Form, body: JsonObject): void {
  const known = new Set([...listFormFields(form).map(({ name }) => name), ...CONTROLS]);
  const unknown = Object.keys(body).filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const errors = unknown.map((field) => ({ field, issue: 'is not a field of this form' }));
  throw new WeftError('VALIDATION_ERROR', createValidationError(errors).message, { errors, unknown });
}
