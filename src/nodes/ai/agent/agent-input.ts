import type { FieldError } from '../../../contract/errors.ts';
import type { Json } from '../../../lib/json/json.ts';
import { validateConversation, type Conversation } from '../conversation.ts';
import type { AgentConfig } from './agent-config.ts';

const NO_CLIENT_TOOLS =
  'must not be in the input: the agent has tools of its own. Use a node llm for the tools of a client';
const NO_CLIENT_SCHEMA = 'must not be in the input: the schema of the response is a field of the agent';

/** Validates the input of an agent without a prompt, which must be a conversation. */
export function validateAgentInput(
  input: Json,
  { history }: Pick<AgentConfig, 'history'>,
): readonly FieldError[] {
  const [first] = validateConversation(input);
  if (first !== undefined) {
    const { field, issue } = first;
    return [
      {
        field: 'prompt',
        issue: `is required, unless the input is a conversation {messages: […]}: ${field} ${issue}`,
      },
    ];
  }
  const { tools = [], response_schema: schema } = input as unknown as Conversation;
  return [
    ...(tools.length === 0 ? [] : [{ field: 'tools', issue: NO_CLIENT_TOOLS }]),
    ...(schema === undefined ? [] : [{ field: 'response_schema', issue: NO_CLIENT_SCHEMA }]),
    ...(history === undefined ? [] : [{ field: 'history', issue: 'must not be set without a prompt' }]),
  ];
}
