import type { Form, FormField } from '../../contract/forms/form.ts';
import { isShown } from '../../contract/forms/form-values.ts';
import type { FormTexts } from '../../contract/forms/texts/form-texts.ts';
import type { Json } from '../../lib/json/json.ts';
import { ACTION_CONTROL, KEY_CONTROL, PAGE_CONTROL, type FormView } from '../../services/forms/form-pages.ts';
import { markup, Markup, nothing } from '../oauth/markup.ts';
import { renderThemedPage, type Page, type PageTheme } from '../oauth/pages.ts';
import { renderFormStyle } from './form-style.ts';
import { formatControlId, formatOptionId } from './ids.ts';

const CHECKED = new Markup(' checked');
const SELECTED = new Markup(' selected');
const MULTIPLE_ROWS = 5;
const DECIMALS = new Markup(' inputmode="decimal"');

/** What the browser may fill in, by the type of the field. */
const AUTOCOMPLETE: Readonly<Record<string, Markup>> = { email: new Markup(' autocomplete="email"') };

/** One page of a form, with what was entered and the errors. */
export function renderFormPage({ form, page, entered, errors, key, texts }: FormView): Page {
  const shown = form.pages[page]!;
  const fields = shown.fields.filter(
    (field) => isOnSamePage(field, shown.fields) || isShown(form, field, entered),
  );
  const issues = new Map(errors.map(({ field, issue }) => [field, issue]));
  const isLast = page === form.pages.length - 1;
  const others = form.pages.flatMap((one, i) => (i === page ? [] : one.fields));
  return render(
    form,
    texts,
    errors.length > 0 ? texts.page.errorTitle(form.title) : form.title,
    markup`<h1>${form.title}</h1>
${page > 0 || form.description === null ? nothing : markup`<p class="text soft">${form.description}</p>`}
${form.pages.length === 1 ? nothing : markup`<p class="step">${texts.page.step(page + 1, form.pages.length)}</p>`}
${shown.title === null ? nothing : markup`<h2>${shown.title}</h2>`}
${shown.text === null ? nothing : markup`<p class="text soft">${shown.text}</p>`}
${errors.length === 0 ? nothing : renderSummary(form, errors, texts)}
<form method="post" enctype="multipart/form-data" novalidate>
${renderHidden(KEY_CONTROL, key)}
${renderHidden(PAGE_CONTROL, String(page))}
${others.flatMap((field) => renderKept(field, entered.get(field.name) ?? null))}
${fields.map((field) => renderField(field, entered.get(field.name) ?? null, issues.get(field.name) ?? null, texts))}
<div class="actions">
<button class="main" name="${ACTION_CONTROL}" value="${isLast ? 'submit' : 'next'}">${isLast ? (form.submitLabel ?? texts.page.submit) : texts.page.next}</button>
${page === 0 ? nothing : markup`<button name="${ACTION_CONTROL}" value="back">${texts.page.back}</button>`}
</div>
</form>`,
  );
}

export function renderFinalPage(form: Form, texts: FormTexts): Page {
  const title = form.finalTitle ?? texts.page.finalTitle;
  return render(
    form,
    texts,
    title,
    markup`<h1>${title}</h1>
<p class="text" role="status">${form.finalText ?? texts.page.finalText}</p>`,
  );
}

function render(form: Form, texts: FormTexts, title: string, body: Markup): Page {
  const redirect = form.redirect === null ? '' : new URL(form.redirect).origin;
  return renderThemedPage(title, body, redirect, createTheme(form, texts));
}

function createTheme(form: Form, texts: FormTexts): PageTheme {
  const { name, logo } = form.brand;
  const image =
    logo === null ? nothing : markup`<img src="${logo}" alt="${name === null ? texts.page.logo : ''}">`;
  return {
    brand: name === null && logo === null ? nothing : markup`${image}<span>${name ?? ''}</span>`,
    style: renderFormStyle(form),
    hasImages: logo !== null,
    language: texts.language,
  };
}

/** Conditions of the same page are met and unmet in the browser. */
function isOnSamePage({ showWhen }: FormField, fields: readonly FormField[]): boolean {
  return showWhen !== null && fields.some(({ name }) => name === showWhen.field);
}

export function renderSummary(form: Form, errors: FormView['errors'], { page }: FormTexts): Markup {
  const all = form.pages.flatMap(({ fields }) => fields);
  const lines = errors.map(({ field, issue }) => {
    const found = all.find(({ name }) => name === field);
    const target = found === undefined ? field : focusTarget(found);
    return markup`<li><a href="#${target}">${page.fieldIssue(found?.label ?? field, issue)}</a></li>
`;
  });
  return markup`<div class="summary" role="alert" tabindex="-1" autofocus>
<h2>${page.checkFields(errors.length)}</h2>
<ul>
${lines}</ul>
</div>`;
}

/** A label of a group cannot have the focus, so links lead to its first option. */
function focusTarget(field: FormField): string {
  return hasGroup(field) ? formatOptionId(field, 0) : formatControlId(field);
}

const renderHidden = (name: string, value: string): Markup =>
  markup`<input type="hidden" name="${name}" value="${value}">`;

/** The values of the other pages, which travel with this one. */
function renderKept({ name, type }: FormField, entered: Json): Markup[] {
  if (type === 'file') return [];
  return [entered]
    .flat()
    .flatMap((value) => (typeof value === 'string' && value !== '' ? [renderHidden(name, value)] : []));
}

/** Many options fit better into a list. */
const MAX_RADIOS = 6;
const hasGroup = ({ type, options }: FormField): boolean =>
  type === 'choices' || (type === 'choice' && options.length <= MAX_RADIOS);

export function renderField(
  field: FormField,
  entered: Json,
  issue: string | null,
  { page }: FormTexts,
): Markup {
  const id = formatControlId(field);
  const text = typeof entered === 'string' ? entered : '';
  if (field.type === 'hidden') return renderHidden(field.name, text);
  const hint = field.hint === null ? nothing : markup`<p class="hint" id="${id}-hint">${field.hint}</p>`;
  const error = issue === null ? nothing : markup`<p class="error" id="${id}-error">${issue}</p>`;
  const described = [
    ...(field.hint === null ? [] : [`${id}-hint`]),
    ...(issue === null ? [] : [`${id}-error`]),
  ].join(' ');
  const notes = markup`${described === '' ? nothing : markup` aria-describedby="${described}"`}${issue === null ? nothing : markup` aria-invalid="true"`}`;
  const label = markup`${field.label}${field.isRequired ? nothing : markup` <span class="optional">(${page.optional})</span>`}`;
  if (hasGroup(field))
    return markup`<fieldset class="field" id="${id}-row"${described === '' ? nothing : markup` aria-describedby="${described}"`}>
<legend>${label}</legend>
${hint}
${renderOptions(field, entered)}
${error}
</fieldset>`;
  if (field.type === 'consent')
    return markup`<div class="field" id="${id}-row">
<label class="pick"><input type="checkbox" id="${id}" name="${field.name}" value="yes"${text === 'yes' ? CHECKED : nothing}${notes}><span>${label}</span></label>
${hint}
${error}
</div>`;
  return markup`<div class="field" id="${id}-row">
<label class="label" for="${id}">${label}</label>
${hint}
${renderControl(field, text, notes, page.choose)}
${error}
</div>`;
}

function renderOptions(field: FormField, entered: Json): Markup[] {
  const chosen = new Set([entered].flat());
  return field.options.map(
    (option, i) =>
      markup`<label class="pick"><input type="${field.type === 'choice' ? 'radio' : 'checkbox'}" id="${formatOptionId(field, i)}" name="${field.name}" value="${option}"${chosen.has(option) ? CHECKED : nothing}><span>${option}</span></label>
`,
  );
}

const INPUT_TYPES: Readonly<Record<string, string>> = {
  email: 'email',
  number: 'text',
  date: 'date',
  time: 'time',
  date_time: 'datetime-local',
  file: 'file',
};

function renderControl(field: FormField, text: string, notes: Markup, placeholder: string): Markup {
  const { name, type } = field;
  const id = formatControlId(field);
  if (type === 'choice') {
    const options = field.options.map(
      (option, i) =>
        markup`<option id="${formatOptionId(field, i)}" value="${option}"${text === option ? SELECTED : nothing}>${option}</option>
`,
    );
    return markup`<select id="${id}" name="${name}"${notes}>
<option value="">${placeholder}</option>
${options}</select>`;
  }
  if (type === 'long_text')
    return markup`<textarea id="${id}" name="${name}" rows="${String(MULTIPLE_ROWS)}"${notes}>
${text}</textarea>`;
  if (type === 'file')
    return markup`<input type="file" id="${id}" name="${name}"${field.accept.length === 0 ? nothing : markup` accept="${field.accept.join(',')}"`}${notes}>`;
  // A number field of the browser would drop a wrong entry instead of sending it.
  return markup`<input type="${INPUT_TYPES[type] ?? 'text'}" id="${id}" name="${name}" value="${text}"${type === 'number' ? DECIMALS : nothing}${AUTOCOMPLETE[type] ?? nothing}${notes}>`;
}
