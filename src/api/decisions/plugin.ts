import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WeftError } from '../../contract/errors.ts';
import { createInitialValues } from '../../contract/forms/form-values.ts';
import type { FormTexts } from '../../contract/forms/texts/form-texts.ts';
import { getClientNetwork } from '../../lib/network/client-network.ts';
import { limits } from '../../ports/limits.ts';
import type { Decisions, DecisionView } from '../../services/decisions/decisions.service.ts';
import type { SlackInteractions } from '../../services/decisions/slack/slack-interactions.service.ts';
import { renderFinalPage, renderFormPage } from '../forms/pages.ts';
import { describeClosed, readTexts, sendFailure, sendSubmitted } from '../forms/responses.ts';
import { createAddressLimit } from '../../lib/limits/address-limit.ts';
import { renderNotePage, type Page } from '../oauth/pages.ts';
import { createFileHeaders, sendDownload } from '../files/file-download.ts';
import { readOrigin } from '../http/request-origin.ts';
import {
  renderDecisionPage,
  describeRefusal,
  listFieldIssues,
  readResponse,
  renderUnknownFilePage,
  renderUnknownLinkPage,
} from './pages.ts';

const MINUTE_MS = 60_000;
/** Requests from one address. */
const REQUESTS_PER_MINUTE = 120;
/** Of all people in Slack. */
const CLICKS_PER_MINUTE = 1_200;
const EMPTY_BODY = Buffer.alloc(0);
/** Requests of Slack have a message and who clicked; bytes. */
const MAX_CLICK_BYTES = 256 * 1024;
/** In bytes. Only forms have files. */
const BODY_LIMITS: readonly [contentType: string, bytes: number][] = [
  ['application/x-www-form-urlencoded', 1024 * 1024],
  ['multipart/form-data', limits.webhookBodyBytes],
];

type LinkRequest = FastifyRequest<{ Params: { token: string } }>;

/**
 * The page behind the link of one person to one decision, below `/v1`, of which only a POST responds; and the
 * endpoint that Slack calls when a person uses a button.
 */
export function decisionPagesPlugin(options: {
  readonly decisions: Pick<
    Decisions,
    'findByLink' | 'respondByLink' | 'submitFormByLink' | 'attachmentByLink'
  >;
  readonly slack: Pick<SlackInteractions, 'receive'>;
  readonly now: () => number;
}): (app: FastifyInstance) => void {
  const { decisions, slack } = options;
  const arrivals = createAddressLimit(REQUESTS_PER_MINUTE, MINUTE_MS, options.now);
  const clicks = createAddressLimit(CLICKS_PER_MINUTE, MINUTE_MS, options.now);

  function admit(limit: typeof arrivals, request: FastifyRequest, reply: FastifyReply): void {
    const wait = limit.hit(getClientNetwork(request.ip));
    if (wait === null) return;
    reply.header('retry-after', wait);
    throw new WeftError('RATE_LIMITED', undefined, { reason: 'capacity' });
  }

  async function show(request: LinkRequest, reply: FastifyReply): Promise<FastifyReply> {
    admit(arrivals, request, reply);
    const texts = readTexts(request);
    try {
      const decision = await decisions.findByLink(request.params.token, readOrigin(request));
      const page =
        decision.question.form === undefined
          ? renderDecisionPage(decision, getPath(request), texts)
          : showForm(decision, texts);
      return sendPage(reply, 200, page);
    } catch (error) {
      return sendUnknownLink(reply, error, texts);
    }
  }

  async function respond(request: LinkRequest, reply: FastifyReply): Promise<FastifyReply> {
    admit(arrivals, request, reply);
    const { token } = request.params;
    const origin = readOrigin(request);
    const texts = readTexts(request);
    const body = Buffer.isBuffer(request.body) ? request.body : EMPTY_BODY;
    try {
      const decision = await decisions.findByLink(token, origin);
      if (decision.question.form !== undefined) return await submitForm(request, reply, body);
      const input = readResponse(decision, new URLSearchParams(body.toString('utf8')));
      try {
        return sendPage(
          reply,
          200,
          renderDecisionPage(
            await decisions.respondByLink(token, input, origin, texts),
            getPath(request),
            texts,
          ),
        );
      } catch (error) {
        if (!(error instanceof WeftError) || error.code === 'NOT_FOUND') throw error;
        const { comment, values = {} } = input;
        const issue = describeRefusal(error, decision, texts);
        const refused = { comment, values, issue, fields: listFieldIssues(error) };
        return sendPage(
          reply,
          error.status,
          renderDecisionPage(await decisions.findByLink(token, origin), getPath(request), texts, refused),
        );
      }
    } catch (error) {
      return sendUnknownLink(reply, error, texts);
    }
  }

  /** All errors are pages, except of a link that is not valid. */
  async function submitForm(request: LinkRequest, reply: FastifyReply, body: Buffer): Promise<FastifyReply> {
    const texts = readTexts(request);
    const { 'content-type': contentType } = request.headers;
    try {
      const sent = { contentType, body };
      const result = await decisions.submitFormByLink(request.params.token, sent, readOrigin(request), texts);
      if (result.kind === 'submitted') return sendSubmitted(reply, result.form, texts);
      return sendPage(reply, result.view.errors.length > 0 ? 400 : 200, renderFormPage(result.view));
    } catch (error) {
      if (error instanceof WeftError && error.code === 'NOT_FOUND') throw error;
      sendFailure(error, request, reply);
      return reply;
    }
  }

  /** An empty response leaves the message as it is. */
  async function interact(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    admit(clicks, request, reply);
    const body = Buffer.isBuffer(request.body) ? request.body : EMPTY_BODY;
    // The limits of the parsers are those of forms.
    if (body.length > MAX_CLICK_BYTES) throw new WeftError('PAYLOAD_TOO_LARGE');
    await slack.receive({ headers: request.headers, body, origin: readOrigin(request) });
    return reply.code(200).send();
  }

  async function download(
    request: FastifyRequest<{ Params: { token: string; file: string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    admit(arrivals, request, reply);
    const { token, file: id } = request.params;
    try {
      const file = await decisions.attachmentByLink(token, id, readOrigin(request));
      void reply.headers({ ...createFileHeaders(file.name), 'cache-control': 'no-store' });
      return sendDownload(file, request, reply);
    } catch (error) {
      if (error instanceof WeftError && (error.code === 'NOT_FOUND' || error.code === 'FORBIDDEN'))
        return sendPage(reply, error.status, renderUnknownFilePage(readTexts(request)));
      throw error;
    }
  }

  return (app) => {
    for (const [type, bodyLimit] of BODY_LIMITS)
      app.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit }, (_request, body, done) =>
        done(null, body),
      );
    app.post('/slack/interactions', interact);
    app.get('/decide/:token', show);
    app.get('/decide/:token/files/:file', download);
    app.post('/decide/:token', respond);
  };
}

/** The path of the page, without a query. */
function getPath({ params }: LinkRequest): string {
  return `/v1/decide/${encodeURIComponent(params.token)}`;
}

/** The first page of the form of a decision, or why it cannot be filled in any more. */
function showForm({ id, question, status, assignees, viewer }: DecisionView, texts: FormTexts): Page {
  const form = question.form!;
  const own = assignees.find(({ assignee }) => assignee === viewer);
  if (own?.respondedAt != null) return renderFinalPage(form, texts);
  if (status === 'open')
    return renderFormPage({
      form,
      page: 0,
      entered: createInitialValues(form, {}),
      errors: [],
      key: id,
      texts,
    });
  const [title, text] = describeClosed(status, texts.notes);
  return renderNotePage(title, text, '', texts.language);
}

function sendUnknownLink(reply: FastifyReply, error: unknown, texts: FormTexts): FastifyReply {
  if (error instanceof WeftError && error.code === 'NOT_FOUND')
    return sendPage(reply, 404, renderUnknownLinkPage(texts));
  throw error;
}

function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  // The URL of this page is a credential, so no referrer is sent.
  return reply
    .code(status)
    .headers({ ...page.headers, 'referrer-policy': 'no-referrer' })
    .send(page.html);
}
