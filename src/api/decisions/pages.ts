import { findLabel } from '../../contract/decisions/decisions.ts';
import type { FieldError, WeftError } from '../../contract/errors.ts';
import { listFormFields, type Form, type FormField } from '../../contract/forms/form.ts';
import { createInitialValues, readEntered } from '../../contract/forms/form-values.ts';
import type { FormTexts } from '../../contract/forms/texts/form-texts.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { formatByteSize } from '../../lib/text/byte-size.ts';
import { renderMarkdown } from '../../lib/text/message-markdown.ts';
import { formatIsoTime } from '../../lib/time/iso-time.ts';
import { findLastResponse } from '../../services/decisions/decision-end.ts';
import type { DecisionView } from '../../services/decisions/decisions.service.ts';
import { toForm } from '../../services/decisions/decision-values.ts';
import { renderFormStyle } from '../forms/form-style.ts';
import { renderField, renderSummary } from '../forms/pages.ts';
import { Markup, markup, nothing } from '../oauth/markup.ts';
import { renderNotePage, renderPage, type Page } from '../oauth/pages.ts';

/** What a person has entered before the response was refused, and why. `fields`: issues of single fields. */
export type RefusedEntry = {
  readonly comment: string;
  readonly values: JsonObject;
  readonly issue: string;
  readonly fields: readonly FieldError[];
};

const MESSAGE_STYLE = `
main{max-width:560px}
.message{margin:0 0 16px;overflow-wrap:anywhere}
.message>:first-child{margin-top:0}
.message :is(h2,h3,h4,h5,h6){margin:18px 0 6px;font-size:16px;line-height:1.35}
.message :is(ul,ol){margin:0 0 16px;padding-left:22px}
.message blockquote{margin:0 0 16px;padding-left:12px;border-left:3px solid var(--line);color:var(--soft)}
.message pre{margin:0 0 16px;padding:10px 12px;border-radius:9px;background:var(--page);white-space:pre-wrap}
.message table{margin:0 0 16px;border-collapse:collapse}
.message :is(th,td){padding:5px 10px;border:1px solid var(--line);text-align:left;vertical-align:top}
main a{color:var(--accent)}
h2.files{margin:0 0 6px;font-size:14px;font-weight:560}
ul.files{margin:0 0 16px;padding:0;list-style:none;font-size:14px}
ul.files li{padding:6px 0;overflow-wrap:anywhere}
`;

/** Names of fields must not be those of the other controls. */
const FIELD_PREFIX = 'v_';

/** `path` of the page, below which its files are. */
export function renderDecisionPage(
  decision: DecisionView,
  path: string,
  texts: FormTexts,
  refused: RefusedEntry | null = null,
): Page {
  const own = decision.assignees.find(({ assignee }) => assignee === decision.viewer);
  const canRespond = decision.status === 'open' && own?.respondedAt === null;
  const form = toForm(decision.title, (decision.question.fields ?? []).map(withPrefix));
  const title = refused === null ? decision.title : texts.page.errorTitle(decision.title);
  return renderPage(
    title,
    markup`<h1>${decision.title}</h1>
${decision.question.message === null ? nothing : markup`<div class="message">${new Markup(renderMarkdown(decision.question.message))}</div>`}
${renderAttachments(decision, path, texts)}
${refused === null ? nothing : renderRefusal(form, refused, texts)}
<dl class="facts">
<div><dt>${texts.decision.workflow}</dt><dd>${decision.workflowName}</dd></div>
<div><dt>${texts.decision.respondAs}</dt><dd>${own?.email ?? ''}</dd></div>
${decision.status === 'open' && decision.deadlineAt !== null ? markup`<div><dt>${texts.decision.deadline}</dt><dd>${renderTime(decision.deadlineAt)}</dd></div>` : nothing}
</dl>
${canRespond ? renderForm(decision, form, refused, texts) : renderResult(decision, texts)}`,
    '',
    MESSAGE_STYLE + (listFormFields(form).length === 0 ? '' : renderFormStyle(form)),
    texts.language,
  );
}

/** The body of a submitted page, as the input of a response. */
export function readResponse({ question }: DecisionView, body: URLSearchParams) {
  const values: JsonObject = {};
  for (const { name, type } of question.fields ?? []) {
    const entered = body.getAll(FIELD_PREFIX + name);
    if (type === 'choices') values[name] = entered;
    else if (entered[0] !== undefined) values[name] = entered[0];
  }
  return {
    choice: body.get('choice') ?? '',
    comment: body.get('comment') ?? '',
    ...(question.fields === undefined || question.fields.length === 0 ? {} : { values }),
  };
}

/** Links to the files while the decision is open, and only the names after that. */
function renderAttachments({ question, status }: DecisionView, path: string, texts: FormTexts): Markup {
  const { attachments = [] } = question;
  if (attachments.length === 0) return nothing;
  const items = attachments.map(({ id, name, contentType, size }) => {
    const label = markup`<bdi>${name}</bdi>`;
    const link = markup`<a href="${path}/files/${encodeURIComponent(id)}" download>${label}</a>`;
    return markup`<li>${status === 'open' ? link : label} <span class="soft">${contentType}, ${formatByteSize(size)}</span></li>
`;
  });
  return markup`<h2 class="files">${texts.decision.attachments}</h2>
<ul class="files">
${items}</ul>`;
}

function withPrefix(field: FormField): FormField {
  const { name, showWhen } = field;
  return {
    ...field,
    name: FIELD_PREFIX + name,
    showWhen: showWhen === null ? null : { ...showWhen, field: FIELD_PREFIX + showWhen.field },
  };
}

function renderRefusal(form: Form, { issue, fields }: RefusedEntry, texts: FormTexts): Markup {
  if (fields.length === 0) return markup`<p class="note bad" role="alert">${issue}</p>`;
  return renderSummary(form, fields, texts);
}

function renderForm(
  { question }: DecisionView,
  form: Form,
  refused: RefusedEntry | null,
  texts: FormTexts,
): Markup {
  const buttons = question.choices.map(
    ({ name, label }, i) =>
      markup`<button ${i === 0 ? markup`class="main"` : nothing} name="choice" value="${name}">${label}</button>`,
  );
  const entered =
    refused === null ? createInitialValues(form, {}) : readEntered(form, addPrefix(refused.values));
  const issues = new Map((refused?.fields ?? []).map(({ field, issue }) => [field, issue]));
  const fields = listFormFields(form).map((field) =>
    renderField(field, entered.get(field.name) ?? null, issues.get(field.name) ?? null, texts),
  );
  return markup`<form method="post" novalidate>
${fields}
<label class="field"><span>${texts.decision.comment} (${texts.page.optional})</span><textarea name="comment" rows="3" maxlength="5000">${refused?.comment ?? ''}</textarea></label>
<div class="actions">
${buttons}
</div>
</form>`;
}

function addPrefix(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [FIELD_PREFIX + name, value]));
}

/** Why a response was refused, in the language of the person. The page shows who decided below it. */
export function describeRefusal(
  { code, details, message }: WeftError,
  { question }: DecisionView,
  { decision: texts }: FormTexts,
): string {
  const { status, choice, role } = details as { status?: string; choice?: string; role?: string };
  if (code === 'FORBIDDEN') return role === undefined ? texts.accountDeleted : texts.roleLost(role);
  if (code !== 'CONFLICT') return message;
  if (status !== undefined) return texts.alreadyClosed;
  return texts.alreadyResponded(findLabel(question.choices, choice ?? null));
}

/** The issues of fields, by the names that the page has for them. */
export function listFieldIssues(error: WeftError): FieldError[] {
  const { errors } = error.details as { errors?: readonly FieldError[] };
  return (errors ?? [])
    .filter(({ field }) => field.startsWith('values.'))
    .map(({ field, issue }) => ({ field: FIELD_PREFIX + field.slice('values.'.length), issue }));
}

function renderResult(decision: DecisionView, { decision: texts }: FormTexts): Markup {
  const own = decision.assignees.find(({ assignee }) => assignee === decision.viewer);
  const label = (choice: string | null): string => findLabel(decision.question.choices, choice);
  const responded =
    own?.respondedAt == null
      ? nothing
      : markup`<p>${texts.yourResponse}: <strong>${label(own.choice)}</strong> (${renderTime(own.respondedAt)}).</p>`;
  const by = findLastResponse(decision)?.email ?? '';
  const closed = renderTime(decision.closedAt ?? 0);
  const results = {
    open: markup`<p class="soft">${texts.moreNeeded}</p>`,
    decided: markup`<p class="note good">${texts.decided}: <strong>${label(decision.choice)}</strong> (${closed}). ${texts.lastResponse(by)}</p>`,
    expired: markup`<p class="note">${texts.expired} (${closed})</p>`,
    cancelled: markup`<p class="note">${texts.cancelled}</p>`,
  };
  return markup`${responded}
${results[decision.status]}`;
}

/** In UTC: the page has no script that knows the time zone of its reader. */
function renderTime(time: number): Markup {
  const iso = formatIsoTime(time);
  return markup`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

export function renderUnknownFilePage({ decision, language }: FormTexts): Page {
  const [title, text] = decision.unknownFile;
  return renderNotePage(title, text, '', language);
}

export function renderUnknownLinkPage({ decision, language }: FormTexts): Page {
  const [title, text] = decision.unknownLink;
  return renderNotePage(title, text, '', language);
}
