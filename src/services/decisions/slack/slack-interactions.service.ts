import { findLabel, toEmailKey, type AssigneeKey } from '../../../contract/decisions/decisions.ts';
import { createValidationError, WeftError } from '../../../contract/errors.ts';
import type { RequestOrigin } from '../../../contract/principal.ts';
import { isObject, type Json, type JsonObject } from '../../../lib/json/json.ts';
import {
  createEndMessage,
  createLinkMessage,
  escapeText,
  readButton,
  type SlackMessage,
} from '../../../nodes/flow/approval/slack/slack-message.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { UserStore } from '../../../ports/store/accounts/users.ts';
import type { DecisionMessageStore } from '../../../ports/store/decisions.ts';
import type { DecisionRow, DecisionStore } from '../../../ports/store/decisions.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { CallHeaders } from '../../webhooks/signed-content.ts';
import { readSender } from '../../webhooks/webhook-sender.ts';
import { isVerified } from '../../webhooks/webhook-signature.ts';
import type { DecisionLinks } from '../decision-links.ts';
import { isOpen } from '../decision-end.ts';
import { toSlackResult } from './slack-result.ts';
import type { SlackAccount, SlackAccounts } from './slack-account.ts';

/** Slack waits for three seconds in all; ms. */
const USER_TIMEOUT_MS = 1_500;
const NOTE_TIMEOUT_MS = 1_200;
const MAX_ID_LENGTH = 100;
const FIELD = 'payload=';

/** The scheme v0 of Slack, with a tolerance of five minutes. */
const sender = readSender({ authentication: 'hmac', scheme: 'slack' })!;

export type SlackRequest = { headers: CallHeaders; body: Buffer; origin: RequestOrigin };

type Click = { decisionId: string; choice: string | null; user: string; team: string } & {
  channel: string;
  ts: string;
};

/** Why nothing was recorded, for the person in Slack. */
class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Responses with the buttons of messages in Slack. */
export function createSlackInteractions(deps: {
  decisions: Pick<DecisionStore, 'find'>;
  messages: Pick<DecisionMessageStore, 'add'>;
  users: Pick<UserStore, 'userByEmail'>;
  /** Records the response of a person who was asked. */
  respond(
    decision: DecisionRow,
    assignee: AssigneeKey,
    choice: string,
    slackUser: string,
    origin: RequestOrigin,
  ): Promise<DecisionRow>;
  accounts: SlackAccounts;
  /** Returns the value of a stored secret, or null. */
  secret(ownerId: string, name: string): Promise<string | null>;
  links: Pick<DecisionLinks, 'createToken'>;
  /** The public base URL, ending with /v1. */
  baseUrl(): string;
  audit: Pick<AuditLog, 'recordFailure'>;
  clock: Pick<Clock, 'now'>;
  report(message: string, error: unknown): void;
}) {
  const { accounts, clock } = deps;

  /** @throws {WeftError} UNAUTHORIZED unless the app of the node that asked has signed the request now. */
  async function verify(
    decision: DecisionRow | null,
    { headers, body, origin }: SlackRequest,
  ): Promise<{ decision: DecisionRow; account: SlackAccount }> {
    const account = decision === null ? null : await accounts.find(decision);
    const secret =
      decision === null || account === null
        ? null
        : await deps.secret(decision.ownerId, account.signingSecret);
    const signed = { method: 'POST', headers, query: '', body, url: () => '' };
    if (decision !== null && account !== null && secret !== null && secret !== '')
      if (isVerified(sender, secret.trim(), signed, clock.now())) return { decision, account };
    const actor = { userId: null, email: null, credential: 'none', origin } as const;
    const target = decision === null ? null : { id: decision.id, name: decision.title };
    await deps.audit.recordFailure(actor, 'decision.responded', target);
    throw new WeftError('UNAUTHORIZED', 'The signature of Slack is missing, wrong or too old.');
  }

  /** The e-mail address by which Slack knows a person. @throws {Refusal} */
  async function readEmail(ownerId: string, account: SlackAccount, { user, team }: Click): Promise<string> {
    const limits = { timeout: USER_TIMEOUT_MS };
    const outcome = await accounts.call(ownerId, account, 'get_user', { user }, limits);
    if (outcome.kind === 'failed')
      throw new Refusal(
        `Weft could not read your e-mail address from Slack, so nothing was recorded. ${outcome.error.message}`,
      );
    if (outcome.kind !== 'done') throw new Refusal('Weft is busy, so nothing was recorded. Try again.');
    const reply = outcome.outputs['out'] ?? null;
    const found = isObject(reply) && isObject(reply['user']) ? reply['user'] : {};
    const profile = isObject(found['profile']) ? found['profile'] : {};
    // The administrators of another organization choose the addresses of its people.
    const isOther = found['is_stranger'] === true || team === '' || found['team_id'] !== team;
    if (found['deleted'] === true || found['is_bot'] === true || isOther)
      throw new Refusal('Only members of this Slack workspace can respond, so nothing was recorded.');
    if (found['is_email_confirmed'] === false)
      throw new Refusal('Your e-mail address in Slack is not confirmed, so nothing was recorded.');
    const { email } = profile;
    if (typeof email === 'string' && email !== '') return email;
    throw new Refusal(
      'Slack returned no e-mail address of yours, so nothing was recorded. The Slack app needs the scope users:read.email.',
    );
  }

  /** @throws {Refusal} */
  async function findAssignee({ assignees }: DecisionRow, email: string): Promise<AssigneeKey> {
    const user = await deps.users.userByEmail(email);
    const keys = [...(user === null ? [] : [user.id]), toEmailKey(email)];
    const own = assignees.find(({ assignee }) => keys.includes(assignee));
    if (own !== undefined) return own.assignee;
    throw new Refusal(`${email} was not asked for this decision, so nothing was recorded.`);
  }

  /** Returns what only the person sees; null: the message itself shows it. */
  async function respond(
    decision: DecisionRow,
    account: SlackAccount,
    click: Click,
    origin: RequestOrigin,
  ): Promise<SlackMessage | null> {
    const { question, ownerId } = decision;
    const assignee = await findAssignee(decision, await readEmail(ownerId, account, click));
    const own = decision.assignees.find((one) => one.assignee === assignee);
    if (question.form !== undefined || (question.fields ?? []).length > 0) {
      if (own?.respondedAt != null) throw new Refusal('You have already responded.');
      const token = deps.links.createToken({ decisionId: decision.id, assignee });
      return createLinkMessage(decision.title, `${deps.baseUrl()}/decide/${token}`);
    }
    if (click.choice === null) throw new Refusal('This button is not of this decision.');
    const { status } = await deps.respond(decision, assignee, click.choice, click.user, origin);
    if (status !== 'open') return null;
    const label = findLabel(question.choices, click.choice);
    return toMessage(`Your response was recorded: ${label}. More responses are needed.`);
  }

  /** A message that cannot be sent must not change the result: the response is stored. */
  async function notify(
    ownerId: string,
    account: SlackAccount,
    { channel, user }: Click,
    message: SlackMessage,
  ): Promise<void> {
    const limits = { timeout: NOTE_TIMEOUT_MS };
    const data = { channel, user, ...message };
    const outcome = await accounts.call(ownerId, account, 'post_ephemeral', data, limits);
    if (outcome.kind === 'failed')
      deps.report('a person in Slack could not be notified', new Error(outcome.error.message));
  }

  return {
    /**
     * Records the response of a click. Returns when it is on disk, so that Slack shows an error for a click
     * that was not recorded. A repeated request changes nothing.
     * @throws {WeftError} VALIDATION_ERROR for a request that is not of a button of a decision; UNAUTHORIZED
     */
    async receive(request: SlackRequest): Promise<void> {
      const click = readClick(request.body);
      const { decision, account } = await verify(await deps.decisions.find(click.decisionId), request);
      const { ownerId } = decision;
      if (!isOpen(decision, clock.now()))
        return notify(ownerId, account, click, createEndMessage(toSlackResult(decision)));
      const { decisionId, channel, ts } = click;
      // The message of an attempt that ended before it recorded it.
      await deps.messages.add({ decisionId, channel, ts }, null);
      try {
        const message = await respond(decision, account, click, request.origin);
        if (message !== null) await notify(ownerId, account, click, message);
      } catch (error) {
        const isKnown = error instanceof WeftError && error.status < 500;
        if (!isKnown && !(error instanceof Refusal)) throw error;
        const now = await deps.decisions.find(click.decisionId);
        const hasEnded = error instanceof WeftError && now !== null && now.status !== 'open';
        const message = hasEnded ? createEndMessage(toSlackResult(now)) : toMessage(error.message);
        await notify(ownerId, account, click, message);
      }
    },
  };
}

export type SlackInteractions = ReturnType<typeof createSlackInteractions>;

const toMessage = (text: string): SlackMessage => ({
  text: escapeText(text),
  blocks: [{ type: 'section', text: { type: 'plain_text', text, emoji: false } }],
});

/** @throws {WeftError} VALIDATION_ERROR */
function readClick(body: Buffer): Click {
  const payload = parse(body.toString('latin1'));
  const [action] = Array.isArray(payload['actions']) ? payload['actions'] : [];
  const button = isObject(action) ? readButton(action) : null;
  const user = readText(payload['user'], 'id');
  const channel = readText(payload['channel'], 'id') || readText(payload['container'], 'channel_id');
  const ts = readText(payload['message'], 'ts') || readText(payload['container'], 'message_ts');
  // The workspace of the app that posted the message; in a shared channel, a person can be of another one.
  const team = readText(payload['message'], 'team') || readText(payload['team'], 'id');
  if (payload['type'] !== 'block_actions' || button === null || user === '' || channel === '' || ts === '')
    throw createValidationError([
      { field: 'payload', issue: 'must be block_actions of a button in a message about a decision' },
    ]);
  return { ...button, user, team, channel, ts };
}

function readText(of: Json | undefined, name: string): string {
  const text = isObject(of) ? of[name] : undefined;
  return typeof text === 'string' && text.length <= MAX_ID_LENGTH ? text : '';
}

/** The body of Slack is one field, so a body of many fields costs nothing before the signature is checked. */
function parse(form: string): JsonObject {
  if (!form.startsWith(FIELD) || form.includes('&')) return {};
  try {
    const value = JSON.parse(decodeURIComponent(form.slice(FIELD.length).replaceAll('+', ' '))) as Json;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
