import {
  findLabel,
  type DecisionAttachment,
  type DecisionChoice,
} from '../../../../contract/decisions/decisions.ts';
import type { JsonObject } from '../../../../lib/json/json.ts';
import { formatByteSize } from '../../../../lib/text/byte-size.ts';
import { convertMarkdownToText } from '../../../../lib/text/message-markdown.ts';
import { truncateText } from '../../../../lib/text/truncate.ts';
import { formatIsoTime } from '../../../../lib/time/iso-time.ts';

/*
 * Messages in Slack about decisions. Texts of the workflow are plain text, or have the three signs of mrkdwn
 * escaped that links and mentions need, so that a value cannot notify a channel or hide a link.
 */

/** In characters: less than Slack's limits. */
const MAX_HEADER_LENGTH = 149;
const MAX_SECTION_LENGTH = 2_900;
const MAX_CONTEXT_LENGTH = 1_900;
/** People and responses that are listed by name. */
const MAX_LISTED = 10;
const BLOCK_PREFIX = 'weft_decision:';
/** The action of the button that opens a page. Names of choices have no colon. */
export const OPEN_ACTION = 'weft:open';
const CHOICE_PREFIX = 'weft:choice:';

export type SlackMessage = { text: string; blocks: JsonObject[] };

/** What a message shows of a decision. Times in ms since the epoch. */
export type SlackQuestion = {
  readonly id: string;
  readonly title: string;
  readonly message: string | null;
  readonly attachments: readonly DecisionAttachment[];
  readonly choices: readonly DecisionChoice[];
  /** Whether people fill in fields, so that they respond on a page. */
  readonly hasFields: boolean;
};

export type SlackResult = SlackQuestion & {
  readonly status: 'open' | 'decided' | 'expired' | 'cancelled';
  readonly choice: string | null;
  readonly closedAt: number | null;
  readonly responses: readonly { email: string; choice: string | null; respondedAt: number | null }[];
};

/** The message with buttons. */
export function createQuestionMessage(
  question: SlackQuestion,
  people: readonly string[],
  deadline: number,
): SlackMessage {
  const { id, title, choices, hasFields } = question;
  const facts = `Asked: ${listPeople(people)}. Until ${formatTime(deadline)}.`;
  const buttons = hasFields
    ? [createButton(OPEN_ACTION, 'Open the form', 'open', true)]
    : choices.map(({ name, label }, i) => createButton(`${CHOICE_PREFIX}${name}`, label, name, i === 0));
  return {
    text: escapeText(title),
    blocks: [
      ...describeQuestion(question),
      createContext(facts),
      { type: 'actions', block_id: `${BLOCK_PREFIX}${id}`, elements: buttons },
    ],
  };
}

/** The message after the end, without buttons. */
export function createResultMessage(result: SlackResult): SlackMessage {
  const summary = summarize(result);
  return {
    text: `${escapeText(result.title)}: ${summary}`,
    blocks: [
      ...describeQuestion(result),
      { type: 'section', text: { type: 'mrkdwn', text: summary, verbatim: true } },
      ...listResponses(result),
    ],
  };
}

/** How the decision has ended, for one person. */
export function createEndMessage(result: SlackResult): SlackMessage {
  const text = summarize(result);
  return { text, blocks: [{ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }] };
}

/** The message with a link that only one person sees. */
export function createLinkMessage(title: string, url: string): SlackMessage {
  const text = 'Respond on this page. The link is for you alone.';
  return {
    text: `${escapeText(title)}: ${escapeText(url)}`,
    blocks: [
      { type: 'section', text: { type: 'plain_text', text, emoji: false } },
      {
        type: 'actions',
        elements: [
          { type: 'button', action_id: 'weft:link', text: plainText('Open the page'), url, style: 'primary' },
        ],
      },
    ],
  };
}

/** The decision that the button of a message belongs to; null for a button that is not of a decision. */
export function readButton(action: JsonObject): { decisionId: string; choice: string | null } | null {
  const { block_id: block, action_id: name } = action;
  if (typeof block !== 'string' || !block.startsWith(BLOCK_PREFIX) || typeof name !== 'string') return null;
  const decisionId = block.slice(BLOCK_PREFIX.length);
  if (name === OPEN_ACTION) return { decisionId, choice: null };
  return name.startsWith(CHOICE_PREFIX) ? { decisionId, choice: name.slice(CHOICE_PREFIX.length) } : null;
}

/** Slack requires these escapes in texts with mrkdwn. */
export const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const plainText = (text: string): JsonObject => ({ type: 'plain_text', text, emoji: false });

const createButton = (action: string, label: string, value: string, isFirst: boolean): JsonObject => ({
  type: 'button',
  action_id: action,
  text: plainText(label),
  value,
  ...(isFirst ? { style: 'primary' } : {}),
});

const createContext = (text: string): JsonObject => ({
  type: 'context',
  elements: [{ type: 'mrkdwn', text: truncateText(text, MAX_CONTEXT_LENGTH), verbatim: true }],
});

function describeQuestion({ title, message, attachments }: SlackQuestion): JsonObject[] {
  const text =
    message === null ? '' : truncateText(convertMarkdownToText(message).trim(), MAX_SECTION_LENGTH);
  const files = attachments
    .slice(0, MAX_LISTED)
    .map(({ name, size }) => `${escapeText(truncateText(name, 100))} (${formatByteSize(size)})`);
  const more = attachments.length > MAX_LISTED ? ` and ${attachments.length - MAX_LISTED} more` : '';
  return [
    { type: 'header', text: plainText(truncateText(title, MAX_HEADER_LENGTH)) },
    ...(text === '' ? [] : [{ type: 'section', text: plainText(text) }]),
    ...(files.length === 0
      ? []
      : [createContext(`Attachments, in the inbox of Weft: ${files.join(', ')}${more}`)]),
  ];
}

function listPeople(people: readonly string[]): string {
  const listed = people.slice(0, MAX_LISTED).map(escapeText).join(', ');
  return people.length > MAX_LISTED ? `${listed} and ${people.length - MAX_LISTED} more` : listed;
}

function summarize({ status, choice, choices, closedAt, responses }: SlackResult): string {
  const when = closedAt === null ? '' : ` ${formatTime(closedAt)}`;
  if (status === 'expired')
    return `The deadline passed${when === '' ? '' : `:${when}`}. No decision was made.`;
  if (status !== 'decided')
    return 'No decision is needed any more, because the execution does not wait for it.';
  const last = responses.reduce<SlackResult['responses'][number] | null>(
    (best, one) => (one.respondedAt !== null && one.respondedAt >= (best?.respondedAt ?? 0) ? one : best),
    null,
  );
  return `*${escapeText(findLabel(choices, choice))}*: decided by ${escapeText(last?.email ?? '')},${when}`;
}

/** With several responses, each with its person and time. */
function listResponses({ choices, responses }: SlackResult): JsonObject[] {
  const given = responses
    .filter(({ respondedAt }) => respondedAt !== null)
    .toSorted((a, b) => Number(a.respondedAt) - Number(b.respondedAt));
  if (given.length < 2) return [];
  const lines = given
    .slice(-MAX_LISTED)
    .map(
      ({ email, choice, respondedAt }) =>
        `${escapeText(email)}: ${escapeText(findLabel(choices, choice))}, ${formatTime(respondedAt ?? 0)}`,
    );
  return [createContext(lines.join('\n'))];
}

/** Slack shows it in the time zone of its reader. */
export function formatTime(time: number): string {
  return `<!date^${Math.floor(time / 1000)}^{date_short_pretty} {time}|${formatIsoTime(time)}>`;
}
