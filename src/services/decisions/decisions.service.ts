import { createHash } from 'node:crypto';
import { isEmailKey, type AssigneeKey, type ResponseChannel } from '../../contract/decisions/decisions.ts';
import {
  createConflictError,
  createNotFoundError,
  createValidationError,
  WeftError,
} from '../../contract/errors.ts';
import type { FormTexts } from '../../contract/forms/texts/form-texts.ts';
import { toPage, type Page } from '../../contract/paging.ts';
import type { Principal, RequestOrigin, Role } from '../../contract/principal.ts';
import { RespondToDecisionSchema, DecisionListQuerySchema } from '../../contract/requests/decision.ts';
import { validate } from '../../contract/validate.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { isJsonEqual } from '../../lib/json/json-equal.ts';
import { isFileReference } from '../../nodes/http/file-field.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { UserStore } from '../../ports/store/accounts/users.ts';
import type { FileStore } from '../../ports/files.ts';
import type { Ids } from '../../ports/ids.ts';
import type { AssigneeRow, DecisionRow, DecisionStore, NewResponse } from '../../ports/store/decisions.ts';
import type { AuditActor, AuditLog } from '../audit/audit-log.ts';
import { hasScope, requireScope } from '../authorize.ts';
import type { FileReader, RangeRequest, StoredFile } from '../file-reader.ts';
import { readSentPage, type FormPageResult, type SentBody } from '../forms/form-pages.ts';
import { IncomingFiles } from '../webhooks/webhook-files.ts';
import { createClosedError, isOpen } from './decision-end.ts';
import type { DecisionLinks } from './decision-links.ts';
import { readValues, requireSmallValues } from './decision-values.ts';

export type Decisions = ReturnType<typeof createDecisions>;

/** A decision as one person sees it. `viewer` is the person among its assignees. */
export type DecisionView = DecisionRow & {
  viewer: AssigneeKey;
  /** The page on which the viewer fills in the form; null: none, or the viewer cannot respond. */
  formUrl: string | null;
};

/** Decisions that executions ask people for: lists, and responses with a credential or by a link. */
export function createDecisions(deps: {
  decisions: Pick<DecisionStore, 'get' | 'list' | 'respond'>;
  links: DecisionLinks;
  readFile: FileReader;
  users: Pick<UserStore, 'userById'>;
  /** For uploads, which are in memory until their page was validated. */
  uploads: { clock: Pick<Clock, 'now'>; ids: Ids; files: Pick<FileStore, 'put'> };
  /** The public base URL, ending with /v1. */
  baseUrl(): string;
  engine: Pick<Engine, 'checkTimers'>;
  audit: Pick<AuditLog, 'describe' | 'recordFailure'>;
  /** Called when a decision has changed, after that is on disk. */
  changed(decision: DecisionRow): void;
  clock: Pick<Clock, 'now'>;
}) {
  const { decisions } = deps;

  /**
   * The URL of the page is a credential to respond, so only an assignee whose credential can respond gets it.
   */
  function toView(decision: DecisionRow, viewer: AssigneeKey, mayRespond: boolean): DecisionView {
    const own = decision.assignees.find(({ assignee }) => assignee === viewer);
    const isOpen = decision.status === 'open' && own?.respondedAt === null;
    const hasForm = decision.question.form !== undefined && isOpen && mayRespond;
    const token = hasForm ? deps.links.createToken({ decisionId: decision.id, assignee: viewer }) : null;
    return { ...decision, viewer, formUrl: token === null ? null : `${deps.baseUrl()}/decide/${token}` };
  }

  async function respond(
    found: DecisionRow,
    assignee: AssigneeKey,
    channel: ResponseChannel,
    actor: Principal | AuditActor,
    input: unknown,
    texts?: FormTexts,
  ): Promise<DecisionView> {
    const { choice, comment, values: given } = validate(RespondToDecisionSchema, input);
    const { choices } = found.question;
    if (!choices.some(({ name }) => name === choice)) {
      const names = choices.map(({ name }) => name).join(', ');
      throw createValidationError([{ field: 'choice', issue: `must be one of: ${names}` }]);
    }
    const values = readValues(found.question, choice, given as JsonObject | undefined, texts);
    const trimmed = comment?.trim() ?? '';
    const own = { assignee, choice, comment: trimmed === '' ? null : trimmed, values, channel };
    return toView(await record(found, own, actor), assignee, true);
  }

  async function record(
    found: DecisionRow,
    given: Omit<NewResponse, 'at'>,
    actor: Principal | AuditActor,
    uploads = new Map<string, string>(),
  ): Promise<DecisionRow> {
    const { assignee, choice, values } = given;
    const event = deps.audit.describe(
      actor,
      'decision.responded',
      { id: found.id, name: found.title },
      { choice, execution_id: found.executionId, workflow_id: found.workflowId },
    );
    const result = await decisions.respond(found.id, { ...given, at: deps.clock.now() }, event);
    if (result.kind === 'missing') throw createNotFoundError('decision');
    const { decision } = result;
    if (result.kind === 'recorded') {
      if (decision.status === 'decided') deps.engine.checkTimers();
      deps.changed(decision);
      return decision;
    }
    // The repetition of the same response, for example by a double click, is not an error.
    const own = decision.assignees.find((person) => person.assignee === assignee);
    if (own?.choice === choice && (await isSame(decision, own.values, values, uploads))) return decision;
    throw result.kind === 'responded' ? createRespondedError(own?.choice ?? '') : createClosedError(decision);
  }

  /**
   * Whether two responses have the same values. Each upload has its own id, so files are compared by their
   * contents. `uploads`: the hashes of those that are not stored, by id.
   */
  async function isSame(
    { ownerId }: DecisionRow,
    before: JsonObject | null,
    after: JsonObject | null,
    uploads: ReadonlyMap<string, string>,
  ): Promise<boolean> {
    if (before === null || after === null || uploads.size === 0) return isJsonEqual(before, after);
    const withHashes = async (values: JsonObject): Promise<JsonObject> => {
      const entries = Object.entries(values).map(async ([name, value]): Promise<[string, Json]> => {
        if (!isFileReference(value)) return [name, value];
        const { id, name: fileName } = value.$file;
        return [name, [fileName, uploads.get(id) ?? (await hashStoredFile(ownerId, id))]];
      });
      return Object.fromEntries(await Promise.all(entries));
    };
    return isJsonEqual(await withHashes(before), await withHashes(after));
  }

  async function hashStoredFile(ownerId: string, id: string): Promise<string> {
    const { bytes } = await deps.readFile(ownerId, id);
    const hash = createHash('sha256');
    for await (const chunk of bytes) hash.update(chunk);
    return hash.digest('hex');
  }

  /** @throws {WeftError} NOT_FOUND for a link of another service, or whose decision was deleted. */
  async function findByLink(token: string, origin: RequestOrigin): Promise<DecisionView> {
    const link = deps.links.read(token);
    if (link === null) {
      const actor = { userId: null, email: null, credential: 'none', origin } as const;
      await deps.audit.recordFailure(actor, 'decision.responded', null);
    }
    const decision = link === null ? null : await decisions.get(link.assignee, link.decisionId);
    if (link === null || decision === null) throw createNotFoundError('decision');
    return toView(decision, link.assignee, true);
  }

  /**
   * A person who was asked, without a credential of this service. @throws {WeftError} FORBIDDEN when the
   * account was deleted, or has lost the role.
   */
  async function findPerson(
    decision: DecisionRow,
    viewer: AssigneeKey,
    origin: RequestOrigin,
    credential: Pick<AuditActor, 'credential' | 'credentialId'>,
  ): Promise<AuditActor> {
    const own = decision.assignees.find(({ assignee }) => assignee === viewer);
    const userId = isEmailKey(viewer) ? null : viewer;
    if (userId !== null) {
      const user = await deps.users.userById(userId);
      if (user === null)
        throw new WeftError(
          'FORBIDDEN',
          `The account of this ${credential.credential === 'link' ? 'link' : 'person'} was deleted.`,
        );
      if (own !== undefined) requireRole(own, user.role);
    }
    return { userId, email: own?.email ?? null, ...credential, origin };
  }

  const findLinkActor = (decision: DecisionView, origin: RequestOrigin): Promise<AuditActor> =>
    findPerson(decision, decision.viewer, origin, { credential: 'link', credentialId: decision.id });

  /** Only the files that the question names become readable, not others of the execution. */
  async function openAttachment(
    { ownerId, question }: DecisionRow,
    fileId: string,
    asked: RangeRequest,
  ): Promise<StoredFile> {
    const attached = question.attachments?.find(({ id }) => id === fileId);
    if (attached === undefined) throw createNotFoundError('file');
    return { ...(await deps.readFile(ownerId, fileId, asked)), name: attached.name };
  }

  return {
    async list(
      principal: Principal,
      input: unknown,
    ): Promise<{ rows: DecisionView[]; total: number; page: Page }> {
      requireScope(principal, 'executions:read');
      const query = validate(DecisionListQuerySchema, input);
      const page = toPage(query);
      const { items, total } = await decisions.list(
        principal.userId,
        {
          view: query.view ?? 'assigned',
          ...(query.status !== undefined && { isOpen: query.status === 'open' }),
          ...(query.search !== undefined && { search: query.search }),
        },
        page.offset,
        page.limit,
      );
      const mayRespond = hasScope(principal, 'decisions:write');
      const rows = items.map((decision) => toView(decision, principal.userId, mayRespond));
      return { rows, total, page };
    },

    async get(principal: Principal, id: string): Promise<DecisionView> {
      requireScope(principal, 'executions:read');
      const decision = await decisions.get(principal.userId, id);
      if (decision === null) throw createNotFoundError('decision');
      return toView(decision, principal.userId, hasScope(principal, 'decisions:write'));
    },

    /**
     * Records a response once. The same response again returns the decision. @throws {WeftError} NOT_FOUND;
     * FORBIDDEN for a person who was not asked; CONFLICT when the person has given another response, or the
     * decision is closed.
     */
    async respond(principal: Principal, id: string, input: unknown): Promise<DecisionView> {
      requireScope(principal, 'decisions:write');
      const decision = await decisions.get(principal.userId, id);
      if (decision === null) throw createNotFoundError('decision');
      const own = decision.assignees.find(({ assignee }) => assignee === principal.userId);
      if (own === undefined) throw new WeftError('FORBIDDEN', 'You were not asked for this decision.');
      requireRole(own, principal.role);
      return respond(decision, principal.userId, principal.via, principal, input);
    },

    /**
     * Opens an attachment for a person who was asked, or for the owner of the execution. @throws {WeftError}
     * NOT_FOUND for a file that is not attached; FORBIDDEN for a user without the role any more;
     * VALIDATION_ERROR for a range beyond the end.
     */
    async attachment(
      principal: Principal,
      id: string,
      fileId: string,
      asked: RangeRequest = {},
    ): Promise<StoredFile> {
      requireScope(principal, 'executions:read');
      const decision = await decisions.get(principal.userId, id);
      if (decision === null) throw createNotFoundError('decision');
      const own = decision.assignees.find(({ assignee }) => assignee === principal.userId);
      if (own !== undefined && decision.ownerId !== principal.userId) requireRole(own, principal.role);
      return openAttachment(decision, fileId, asked);
    },

    /**
     * Opens an attachment while the decision is open. @throws {WeftError} NOT_FOUND for a wrong link, a
     * closed decision, or a file that is not attached; FORBIDDEN when the person may not respond any more.
     */
    async attachmentByLink(token: string, fileId: string, origin: RequestOrigin): Promise<StoredFile> {
      const decision = await findByLink(token, origin);
      await findLinkActor(decision, origin);
      if (!isOpen(decision, deps.clock.now())) throw createNotFoundError('file');
      return openAttachment(decision, fileId, {});
    },

    findByLink,
    /** `texts`: in the language of the person. */
    async respondByLink(
      token: string,
      input: unknown,
      origin: RequestOrigin,
      texts: FormTexts,
    ): Promise<DecisionView> {
      const decision = await findByLink(token, origin);
      const actor = await findLinkActor(decision, origin);
      return respond(decision, decision.viewer, 'link', actor, input, texts);
    },

    /** `slackUser`: the id of the user in Slack, who is this assignee. @throws as `respond` */
    async respondInSlack(
      decision: DecisionRow,
      assignee: AssigneeKey,
      choice: string,
      slackUser: string,
      origin: RequestOrigin,
    ): Promise<DecisionView> {
      const credential = { credential: 'slack', credentialId: slackUser } as const;
      const actor = await findPerson(decision, assignee, origin, credential);
      return respond(decision, assignee, 'slack', actor, { choice });
    },

    /**
     * Goes to another page of the form of a decision, or records the submission of the last page. The same
     * submission again changes nothing. @throws {WeftError} NOT_FOUND; CONFLICT when the decision was closed
     * or has another response; VALIDATION_ERROR when the body is not of this form.
     */
    async submitFormByLink(
      token: string,
      sent: SentBody,
      origin: RequestOrigin,
      texts: FormTexts,
    ): Promise<FormPageResult> {
      const decision = await findByLink(token, origin);
      const { form, choices } = decision.question;
      const [choice] = choices;
      if (form === undefined || choice === undefined) throw createNotFoundError('form');
      const actor = await findLinkActor(decision, origin);
      const files = new IncomingFiles(deps.uploads);
      const page = await readSentPage(form, sent, files.take, texts);
      if (page.kind === 'page') return page;
      const { values } = page;
      requireSmallValues(values);
      const response = { assignee: decision.viewer, choice: choice.name, comment: null, values };
      const own = decision.assignees.find(({ assignee }) => assignee === decision.viewer);
      // A response that cannot be recorded must not fill the disk.
      const isOpenToViewer = isOpen(decision, deps.clock.now()) && own?.respondedAt === null;
      const stored = isOpenToViewer ? await files.storeUsed(values) : [];
      const given = { ...response, channel: 'link' as const, files: stored };
      await record(decision, given, actor, files.listHashes());
      return { kind: 'submitted', form };
    },
  };
}

/** @throws {WeftError} FORBIDDEN for a user who was asked by a role, and has lost it. */
function requireRole(asked: AssigneeRow, role: Role): void {
  if (asked.role === null || asked.role === role) return;
  const message = `This decision needs the role ${asked.role}, which you no longer have.`;
  throw new WeftError('FORBIDDEN', message, { role: asked.role });
}

function createRespondedError(choice: string): WeftError {
  return createConflictError(`You have already responded: ${choice}.`, { choice });
}
