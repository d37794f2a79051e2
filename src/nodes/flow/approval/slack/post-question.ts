import type { Question, QuestionResult } from '../../../../contract/node-orchestration.ts';
import type { NodeContext, Outcome } from '../../../../contract/node-type.ts';
import { isObject, type JsonObject } from '../../../../lib/json/json.ts';
import { slackCall } from './slack-call.ts';
import type { SlackConfig } from './slack-config.ts';
import { createQuestionMessage } from './slack-message.ts';

/** Posts the question once. Null: it is in Slack. Slack cannot detect a message that is posted again. */
export async function postQuestion(
  ctx: NodeContext,
  { channel, credentials, connection }: SlackConfig,
  question: Question,
  asked: Extract<QuestionResult, { kind: 'asked' }>,
): Promise<Outcome | null> {
  if (await ctx.orchestration.hasMessage(asked.decisionId)) return null;
  const { title, message, choices, fields, form } = question;
  const content = createQuestionMessage(
    {
      id: asked.decisionId,
      title,
      message,
      attachments: asked.attachments,
      choices,
      hasFields: form !== undefined || fields.length > 0,
    },
    asked.people.map(({ email }) => email),
    asked.deadline,
  );
  const config: JsonObject = {
    operation: 'post_message',
    ...(credentials === undefined ? {} : { credentials }),
    ...(connection === undefined ? {} : { connection }),
    data: { channel, ...content },
  };
  const outcome = await slackCall.run(ctx, config as never, null);
  if (outcome.kind !== 'done') return moveErrorToSlackField(outcome);
  const reply = outcome.outputs['out'] ?? null;
  const { channel: id, ts } = isObject(reply) ? reply : {};
  if (typeof id !== 'string' || typeof ts !== 'string')
    return {
      kind: 'failed',
      error: { type: 'server_error', message: 'Slack: the response names no channel and ts of the message' },
    };
  await ctx.orchestration.recordMessage({ decisionId: asked.decisionId, channel: id, ts });
  return null;
}

/** Names the field of the node that an invalid account came from. */
function moveErrorToSlackField(outcome: Outcome): Outcome {
  if (outcome.kind !== 'failed' || outcome.error.type !== 'validation') return outcome;
  const { message, data } = outcome.error;
  const field = isObject(data) && typeof data['field'] === 'string' ? `slack.${data['field']}` : 'slack';
  return {
    kind: 'failed',
    error: {
      ...outcome.error,
      message: `slack.${message}`,
      data: { ...(isObject(data) ? data : {}), field },
    },
  };
}
