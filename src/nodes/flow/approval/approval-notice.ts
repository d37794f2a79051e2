import { createHash } from 'node:crypto';
import type { Mail, MailAddress, MailServer } from '../../../contract/mail.ts';
import type { QuestionRecipient, QuestionResult, Question } from '../../../contract/node-orchestration.ts';
import { HttpFailure, type NodeContext, type Outcome } from '../../../contract/node-type.ts';
import { CredentialsError } from '../../connectors/credentials.ts';
import { readAddresses } from '../../connectors/mail-address.ts';
import { readSmtpUrl } from '../../connectors/smtp-url.ts';
import { invalid } from '../../outcome.ts';
import { createNoticeText } from './notice-text.ts';
import { postQuestion } from './slack/post-question.ts';
import type { SlackConfig } from './slack/slack-config.ts';

export type NoticeConfig = {
  readonly email?: { readonly credentials: string; readonly from: string };
  readonly slack?: SlackConfig;
};

type AskedResult = Extract<QuestionResult, { kind: 'asked' }>;

/**
 * Posts the question to Slack, and sends e-mails until each person without a response has got `count`.
 * The question itself must be sent; a
 * reminder or an escalation that cannot be sent is logged and omitted.
 */
export async function sendNotices(
  ctx: NodeContext,
  { email, slack }: NoticeConfig,
  question: Question,
  asked: AskedResult,
  count: number,
): Promise<Outcome | null> {
  if (slack !== undefined) {
    const failure = await postQuestion(ctx, slack, question, asked);
    if (failure !== null) return failure;
  }
  if (email === undefined) {
    if (slack !== undefined) return null;
    const stranger = asked.people.find(({ hasAccount }) => !hasAccount);
    if (stranger === undefined) return null;
    const issue = `is required, because ${stranger.email} has no account and needs a link`;
    return invalid('email', issue);
  }
  const server = readServer(email.credentials);
  if ('kind' in server) return server;
  const from = readAddresses(email.from);
  const [sender] = typeof from === 'string' ? [] : from;
  if (sender === undefined) return invalid('email.from', 'must be one address');
  for (const person of asked.people) {
    // Who missed a reminder, for example because Weft was stopped, gets the latest only.
    if (person.hasResponded || person.notices >= count) continue;
    try {
      await ctx.mail.send(server, createNotice(ctx, sender, question, asked, person, count));
    } catch (error) {
      if (!(error instanceof HttpFailure) || ctx.resumed === null) throw error;
      ctx.log('warning', `No e-mail could be sent to ${person.email}: ${error.failure.message}`);
    }
    await ctx.orchestration.countNotice(asked.decisionId, person, count);
  }
  return null;
}

function readServer(credentials: string): MailServer | Outcome {
  try {
    return readSmtpUrl(credentials);
  } catch (error) {
    if (error instanceof CredentialsError) return invalid('email.credentials', error.message);
    throw error;
  }
}

function createNotice(
  ctx: NodeContext,
  from: MailAddress,
  question: Question,
  asked: AskedResult,
  person: QuestionRecipient,
  count: number,
): Mail {
  const { title } = question;
  return {
    messageId: `${asked.decisionId}.${hashText(person.assignee)}.${count}@${from.address.split('@')[1] ?? 'localhost'}`,
    date: ctx.now(),
    from,
    to: [{ name: '', address: person.email }],
    cc: [],
    bcc: [],
    replyTo: [],
    subject: person.notices === 0 ? title : `Reminder: ${title}`,
    ...createNoticeText(question, asked, person),
    attachments: [],
  };
}

const hashText = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
