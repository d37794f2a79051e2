import type { FieldError } from '../../../contract/errors.ts';
import type { Question, QuestionResult } from '../../../contract/node-orchestration.ts';
import type { NodeContext, Outcome } from '../../../contract/node-type.ts';
import { isObject, type Json, type JsonObject } from '../../../lib/json/json.ts';
import { parseDuration } from '../../../lib/time/duration.ts';
import { invalid } from '../../outcome.ts';
import { sendNotices, type NoticeConfig } from './approval-notice.ts';
import { DEFAULT_DEADLINE, MAX_TITLE_LENGTH, PERSON_ISSUE, isPerson, toAddress } from './people-config.ts';

export type AskingConfig = NoticeConfig & {
  readonly title: string;
  readonly assignees?: readonly string[];
  readonly deadline?: string;
  readonly reminders?: readonly string[];
  readonly escalation?: { readonly after: string; readonly assignees: readonly string[] };
};

/** What a node asks, and the outputs of a decision. */
export type QuestionSettings = {
  question(now: number): Question | Outcome | Promise<Question | Outcome>;
  outputs(choice: string, result: JsonObject): Record<string, Json>;
};

const LINE_BREAKS = /[\r\n\u2028\u2029]+/gu;
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

export const isOutcome = (value: object): value is Outcome => 'kind' in value;

/** The parts of a question that every node which asks people has. */
export function readAsked(
  { title: given, assignees: named = [], deadline = DEFAULT_DEADLINE }: AskingConfig,
  now: number,
): Pick<Question, 'title' | 'assignees' | 'deadline'> | Outcome {
  // It becomes the subject of an e-mail. Text that people entered may have several lines.
  const title = given.replace(LINE_BREAKS, ' ').trim();
  if (CONTROL_CHARACTERS.test(title)) return invalid('title', 'must not contain control characters');
  if (title.length > MAX_TITLE_LENGTH)
    return invalid('title', `must have at most ${MAX_TITLE_LENGTH} characters`);
  const assignees = readPeople(named, 'assignees');
  if (isOutcome(assignees)) return assignees;
  return { title, assignees, deadline: now + toMs(deadline) };
}

/** Logs once which defaults are missing in the form. */
export function logOmitted(ctx: NodeContext, omitted: readonly FieldError[]): void {
  if (ctx.resumed !== null) return;
  for (const { field, issue } of omitted) ctx.log('warning', `${field} ${issue}. The field begins empty.`);
}

/** Asks people, and waits for their decision or the deadline. */
export async function askPeople(
  ctx: NodeContext,
  config: AskingConfig,
  asking: QuestionSettings,
): Promise<Outcome> {
  const result = await ctx.orchestration.signal();
  if (isObject(result) && typeof result['choice'] === 'string')
    return { kind: 'done', outputs: asking.outputs(result['choice'], result) };
  const { resumed } = ctx;
  if (resumed !== null && ctx.now() < resumed.due) return { kind: 'wait', until: resumed.due, event: true };
  return proceed(ctx, config, asking);
}

/** Does what is due: asks, reminds, escalates or ends. Each step is recorded, so that none is repeated. */
async function proceed(ctx: NodeContext, config: AskingConfig, asking: QuestionSettings): Promise<Outcome> {
  const now = ctx.now();
  const question = await asking.question(now);
  if (isOutcome(question)) return question;
  const first = await ctx.orchestration.ask(question);
  if (first.kind === 'refused') return invalid(first.field, first.issue);
  const { askedAt, deadline } = first;
  if (now >= deadline) return end(ctx, config, asking);
  const { escalation, reminders = [] } = config;
  const reminderTimes = reminders.map((reminder) => askedAt + toMs(reminder));
  const escalationTimes = escalation === undefined ? [] : [askedAt + toMs(escalation.after)];
  let asked: QuestionResult = first;
  if (escalation !== undefined && escalationTimes.some((time) => now >= time)) {
    const more = readPeople(escalation.assignees, 'escalation.assignees');
    if (isOutcome(more)) return more;
    asked = await ctx.orchestration.ask({ ...question, assignees: [...question.assignees, ...more] });
    if (asked.kind === 'refused') return invalid(`escalation.${asked.field}`, asked.issue);
  }
  const notices = 1 + reminderTimes.filter((time) => now >= time).length;
  const failure = await sendNotices(ctx, config, question, asked, notices);
  if (failure !== null) return failure;
  if (ctx.resumed === null)
    ctx.log('info', `Waiting for a decision of ${asked.people.map(({ email }) => email).join(', ')}`, {
      decision_id: asked.decisionId,
    });
  const next = [...reminderTimes, ...escalationTimes].filter((time) => time > now);
  return { kind: 'wait', until: Math.min(deadline, ...next), event: true };
}

function readPeople(people: readonly string[], field: string): string[] | Outcome {
  const wrong = people.findIndex((person) => !isPerson(person));
  if (wrong >= 0) return invalid(`${field}[${wrong}]`, PERSON_ISSUE);
  return people.map((person) => toAddress(person) ?? person);
}

const toMs = (text: string): number => parseDuration(text) ?? 0;

async function end(ctx: NodeContext, config: AskingConfig, asking: QuestionSettings): Promise<Outcome> {
  const { choice, result } = await ctx.orchestration.endQuestion();
  if (choice !== null) return { kind: 'done', outputs: asking.outputs(choice, result) };
  if (ctx.orchestration.isConnected('expired')) return { kind: 'done', outputs: { expired: result } };
  const message = `No decision was made within ${config.deadline ?? DEFAULT_DEADLINE}.`;
  return { kind: 'failed', error: { type: 'timeout', message } };
}
