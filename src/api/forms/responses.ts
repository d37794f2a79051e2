import type { FastifyReply, FastifyRequest } from 'fastify';
import { WeftError } from '../../contract/errors.ts';
import type { Form } from '../../contract/forms/form.ts';
import { chooseTexts } from '../../contract/forms/texts/choose-texts.ts';
import type { FormTexts, Note } from '../../contract/forms/texts/form-texts.ts';
import { limits } from '../../ports/limits.ts';
import { addRetryAfter } from '../../services/executions/overload.ts';
import { keepConnectionForBody, toKnownError } from '../http/errors.ts';
import { renderFinalPage } from './pages.ts';
import { markup } from '../oauth/markup.ts';
import { renderNotePage, renderPage, type Page } from '../oauth/pages.ts';

const BYTES_PER_MIB = 1024 * 1024;
const FORM_TYPE = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\s*(?:;|$)/i;

/** The texts in the language of the person who sent a request. */
export const readTexts = (request: FastifyRequest): FormTexts =>
  chooseTexts(request.headers['accept-language']);

/** Whether the body is what a browser sends with a form. */
export const isFormType = (contentType: string | undefined): contentType is string =>
  contentType !== undefined && FORM_TYPE.test(contentType);

/** Sends the page of an error. */
export function sendFailure(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  editorUrl?: string,
): void {
  const known = toKnownError(addRetryAfter(error), request) ?? new WeftError('INTERNAL_ERROR');
  if (known.status >= 500) request.log.error({ err: error }, 'form request failed');
  const wait = known.details['retry_after'];
  if (typeof wait === 'number') reply.header('retry-after', String(wait));
  keepConnectionForBody(request, reply);
  const texts = readTexts(request);
  if (known.code === 'UNAUTHORIZED' && editorUrl !== undefined) {
    sendFormPage(reply, known.status, loginNote(texts, editorUrl));
    return;
  }
  const isUnreadable = known.code === 'VALIDATION_ERROR' && known.details['unknown'] === undefined;
  const note = describeFailure(known, texts.notes);
  sendNote(reply, known.status, texts, note, isUnreadable ? known.message : '');
}

function describeFailure({ code, details }: WeftError, notes: FormTexts['notes']): Note {
  const { unknown, limit, status } = details as {
    unknown?: readonly string[];
    limit?: number;
    status?: string;
  };
  if (code === 'FORBIDDEN') return details['reason'] === 'origin' ? notes.otherSite : notes.forbidden;
  if (code === 'NOT_FOUND') return details['reason'] === 'link' ? notes.wrongLink : notes.notFound;
  if (code === 'RATE_LIMITED') return notes.rateLimited;
  if (code === 'PAYLOAD_TOO_LARGE') return notes.tooLarge((limit ?? limits.webhookBodyBytes) / BYTES_PER_MIB);
  if (code === 'CONFLICT') return describeClosed(status, notes);
  if (code !== 'VALIDATION_ERROR') return notes.failed;
  return unknown === undefined ? notes.unreadable : notes.changed(unknown.join(', '));
}

/** Where to log in. The person then opens the form again, or goes back to what was entered. */
function loginNote({ notes, language }: FormTexts, editorUrl: string): Page {
  const [title, text, label] = notes.login;
  return renderPage(
    title,
    markup`<h1>${title}</h1>
<p>${text}</p>
<p><a href="${editorUrl}" target="_blank" rel="noopener">${label}</a></p>`,
    '',
    '',
    language,
  );
}

/** Why the form of a decision can no longer be submitted. */
export function describeClosed(status: string | undefined, notes: FormTexts['notes']): Note {
  if (status === 'expired') return notes.expired;
  return status === 'cancelled' ? notes.cancelled : notes.submittedByOther;
}

export function sendNote(
  reply: FastifyReply,
  status: number,
  { language }: FormTexts,
  [title, text]: Note,
  detail = '',
): FastifyReply {
  return sendFormPage(reply, status, renderNotePage(title, text, detail, language));
}

export function sendFormPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  return reply.code(status).headers(page.headers).send(page.html);
}

/** The final page, or the redirect to another site. */
export function sendSubmitted(reply: FastifyReply, form: Form, texts: FormTexts): FastifyReply {
  if (form.redirect !== null)
    return reply
      .code(303)
      .headers({ location: new URL(form.redirect).href, 'cache-control': 'no-store' })
      .send();
  return sendFormPage(reply, 200, renderFinalPage(form, texts));
}
