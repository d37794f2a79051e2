/** Questions that a running execution asks people, and the rules by which their responses decide. */

/**
 * `open`: waits for responses. `decided`: a choice was made. `expired`: the deadline passed first.
 * `cancelled`: the execution ended, or the node no longer waits.
 */
export const decisionStatuses = ['open', 'decided', 'expired', 'cancelled'] as const;
export type DecisionStatus = (typeof decisionStatuses)[number];

export const decisionPolicies = ['anyone', 'everyone', 'at_least'] as const;
export type DecisionPolicy = (typeof decisionPolicies)[number];

/** How a response was given. `link`: on the page of a link. `slack`: with a button in Slack. */
export const responseChannels = ['session', 'api_key', 'oauth', 'link', 'slack'] as const;
export type ResponseChannel = (typeof responseChannels)[number];

/** `name` is the output port of the node; `label` is the text of the button. */
export type DecisionChoice = { name: string; label: string };

/** The text of the button of a choice. */
export function findLabel(choices: readonly DecisionChoice[], choice: string | null): string {
  return choices.find(({ name }) => name === choice)?.label ?? choice ?? '';
}

/** A file of the execution that people can download to decide. `size` in bytes. */
export type DecisionAttachment = {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
};

export const MAX_ASSIGNEES = 100;
export const MAX_ATTACHMENTS = 20;
export const MAX_COMMENT_LENGTH = 5_000;

/** The user `usr_…`, or a person without an account, who responds by a link, as `email:address`. */
export type AssigneeKey = string;

const EMAIL_PREFIX = 'email:';

export function isEmailKey(key: AssigneeKey): boolean {
  return key.startsWith(EMAIL_PREFIX);
}

export function toEmailKey(address: string): AssigneeKey {
  return EMAIL_PREFIX + address.toLowerCase();
}

/**
 * The choice that the responses determine; null while more responses are needed.
 *
 * `required` is the number of responses that the first choice needs: 1 for the policy `anyone`, all for
 * `everyone`. With `anyone`, the first response decides. Otherwise, when too few people are left for the
 * first choice to reach its number, the most frequent other choice is made; of equally frequent ones, the
 * first in the list of choices.
 */
export function computeChoice(
  policy: DecisionPolicy,
  required: number,
  choices: readonly DecisionChoice[],
  responses: readonly (string | null)[],
): string | null {
  const counts = new Map<string, number>();
  for (const response of responses)
    if (response !== null) counts.set(response, (counts.get(response) ?? 0) + 1);
  const count = ({ name }: DecisionChoice): number => counts.get(name) ?? 0;
  if (policy === 'anyone') return choices.find((choice) => count(choice) > 0)?.name ?? null;
  const [first, ...others] = choices;
  if (first === undefined) return null;
  if (count(first) >= required) return first.name;
  const open = responses.filter((response) => response === null).length;
  if (count(first) + open >= required) return null;
  return others.reduce((best, choice) => (count(choice) > count(best) ? choice : best), others[0] ?? first)
    .name;
}
