import { createHash } from 'node:crypto';
import type { WorkflowSettings } from '../../contract/definition.ts';
import { createNotFoundError, WeftError } from '../../contract/errors.ts';
import { readForm, type Form } from '../../contract/forms/form.ts';
import {
  LINK_PARAMETER,
  readFormAccess,
  readFormLinks,
  type FormAccess,
  type FormLink,
} from '../../contract/forms/form-access.ts';
import { createInitialValues } from '../../contract/forms/form-values.ts';
import type { FormTexts } from '../../contract/forms/texts/form-texts.ts';
import { isFileReference } from '../../nodes/http/file-field.ts';
import type { Engine } from '../../engine/engine-api.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { formatIsoTime } from '../../lib/time/iso-time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FileStore } from '../../ports/files.ts';
import type { Ids } from '../../ports/ids.ts';
import type { TriggerFailure } from '../../ports/notifier.ts';
import type { RateCounter } from '../../ports/rate-counter.ts';
import type { ActiveTriggers, WebhookRoute } from '../../ports/store/active-triggers.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import { FORM_METHOD } from '../webhooks/webhook-endpoint.ts';
import { IncomingFiles } from '../webhooks/webhook-files.ts';
import { createWebhookLimit } from '../webhooks/webhook-limit.ts';
import { WebhookRegistry } from '../webhooks/webhook-registry.ts';
import { readFields } from '../webhooks/webhook-body.ts';
import type { FormLinks } from './form-links.ts';
import { readSentPage, type FormPageResult, type FormView, type SentBody } from './form-pages.ts';

/** How long a repeated submission of the same rendered form is recognized, ms. */
const KEY_LIFETIME_MS = 86_400_000;
type FormEndpoint = {
  route: WebhookRoute;
  settings: WorkflowSettings;
  form: Form;
  access: FormAccess;
  links: readonly FormLink[];
};

/** Who submits a form, as the output of the trigger names them. */
type Submitter = { submitted_by?: { user_id: string; email: string }; link?: string };

export type FormsDeps = {
  workflows: Pick<WorkflowStore, 'listWebhooks' | 'get' | 'version'>;
  engine: Pick<Engine, 'start'>;
  clock: Clock;
  ids: Ids;
  files: Pick<FileStore, 'put'>;
  links: Pick<FormLinks, 'find'>;
  /** Returns a text with at least 128 bits of randomness. */
  token(): string;
  /** Maximum number of submissions per workflow and minute; null means no limit. */
  rateLimit: number | null;
  calls?: RateCounter;
  /** Reloads the active forms after a possible change by another process; returns whether they changed. */
  refresh?(): Promise<boolean>;
  /** Reports that a form cannot start its workflow. */
  failed(problem: TriggerFailure): void;
};

export type FormRequest = {
  /** The still-encoded part of the path after `/forms/`. */
  readonly path: string;
  /** Without a question mark. */
  readonly query: string;
  /** In the language of the person. */
  readonly texts: FormTexts;
  /** The user of the session that the browser sent; null without one. Read only by forms for users. */
  readonly signedIn: () => Promise<{ userId: string; email: string } | null>;
};

/** The forms of active workflows: shows their pages, and starts an execution for each submission. */
export function createForms(deps: FormsDeps) {
  const { clock, engine } = deps;
  const live = new WebhookRegistry<FormEndpoint>(
    deps.workflows,
    (route) => route.method === FORM_METHOD,
    (route, settings, config) => ({
      route,
      settings,
      form: readForm(config),
      access: readFormAccess(config),
      links: readFormLinks(config),
    }),
  );
  const countCall = createWebhookLimit({
    ...deps,
    findCallCount: (workflowId) => live.findCallCount(workflowId),
  });

  async function find(path: string): Promise<FormEndpoint> {
    let found = live.find(FORM_METHOD, path);
    // Another process may just have activated it.
    if (found === null && (await deps.refresh?.()) === true) found = live.find(FORM_METHOD, path);
    const target = found === null ? null : (found.value.ready ?? (await live.loadEndpoint(found.value)));
    if (target === null) throw createNotFoundError('form');
    return target;
  }

  /** @throws {WeftError} NOT_FOUND without a valid link, UNAUTHORIZED without a session. */
  async function admit(
    { route, access, links }: FormEndpoint,
    { query, signedIn }: FormRequest,
  ): Promise<Submitter> {
    if (access === 'link') {
      const { [LINK_PARAMETER]: token } = readFields(query, 'query');
      const link = typeof token === 'string' ? deps.links.find(token, route, links, clock.now()) : null;
      if (link === null) throw new WeftError('NOT_FOUND', 'The link is not valid.', { reason: 'link' });
      return { link: link.name };
    }
    if (access === 'public') return {};
    const user = await signedIn();
    if (user === null) throw new WeftError('UNAUTHORIZED', 'This form is for signed-in users.');
    return { submitted_by: { user_id: user.userId, email: user.email } };
  }

  async function start(
    { route, settings }: FormEndpoint,
    submitter: Submitter,
    values: JsonObject,
    key: string,
    files: IncomingFiles,
  ): Promise<void> {
    const now = clock.now();
    try {
      const started = await engine.start({
        ownerId: route.ownerId,
        workflowId: route.workflowId,
        workflowVersion: route.version,
        settings,
        trigger: { type: 'form', node_id: route.nodeId },
        entry: route.nodeId,
        input: { fields: values, submitted_at: formatIsoTime(now), ...submitter },
        dedupe: {
          scope: `form:${route.workflowId}:${route.nodeId}`,
          key: `${key}.${hashContent(values, files, submitter)}`,
          fingerprint: '',
          expiresAt: now + KEY_LIFETIME_MS,
        },
        tick: null,
        parentId: null,
        retryOf: null,
        given: {},
        inputOf: null,
        until: null,
        ...(files.isEmpty ? {} : { files: await files.storeUsed(values) }),
      });
      if (started.kind !== 'accepted' && started.kind !== 'duplicate') throw createNotFoundError('form');
    } catch (error) {
      // Not an error of the person: the stored definition can no longer run.
      if (error instanceof WeftError && error.code === 'VALIDATION_ERROR') {
        const { ownerId, workflowId, nodeId } = route;
        deps.failed({ ownerId, workflowId, nodeId, kind: 'form', issue: error.message });
        throw new WeftError('INTERNAL_ERROR');
      }
      throw error;
    }
  }

  return {
    /** Builds the index from the active triggers, initially or again. No form is served before. */
    open: (): Promise<void> => live.open(),

    /** Replaces the active forms of a workflow; null removes them. */
    change: (workflowId: string, triggers: Pick<ActiveTriggers, 'webhooks'> | null): void =>
      live.change(workflowId, triggers),

    /** The first page. Starts nothing. @throws {WeftError} NOT_FOUND, UNAUTHORIZED */
    async show(request: FormRequest): Promise<FormView> {
      const { path, query, texts } = request;
      const target = await find(path);
      await admit(target, request);
      const { form } = target;
      const entered = createInitialValues(form, readFields(query, 'query'));
      return { form, page: 0, entered, errors: [], key: deps.token(), texts };
    },

    /**
     * Goes to another page, or starts the execution when the last page was submitted and every field is
     * valid. The same submission again starts nothing.
     * @throws {WeftError} NOT_FOUND, RATE_LIMITED, VALIDATION_ERROR when the body is not of this form.
     */
    async submit(request: FormRequest, sent: SentBody): Promise<FormPageResult> {
      const { path, texts } = request;
      const target = await find(path);
      const submitter = await admit(target, request);
      const { form } = target;
      const counting = countCall(target.route.workflowId);
      if (counting !== undefined) await counting;
      const files = new IncomingFiles(deps);
      const result = await readSentPage(form, sent, files.take, texts);
      if (result.kind === 'page') return result;
      await start(target, submitter, result.values, result.key, files);
      return { kind: 'submitted', form };
    },
  };
}

export type Forms = ReturnType<typeof createForms>;

/**
 * Identifies what was submitted. With other content, the same page is another submission: a person may go
 * back from the final page and change an entry.
 */
function hashContent(values: JsonObject, files: IncomingFiles, submitter: Submitter): string {
  const entered = Object.entries(values).map(([name, value]) => [
    name,
    isFileReference(value) ? value.$file.name : value,
  ]);
  return createHash('sha256')
    .update(JSON.stringify([entered, ...Object.values(submitter)]))
    .update(files.hashContents())
    .digest('base64url');
}
