import { Type } from 'typebox';
import type { ModelMessage, ModelTool } from '../../contract/ai/models.ts';
import type { FieldError } from '../../contract/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isFileReference } from '../http/file-field.ts';
import { closed, tagged } from '../schema.ts';
import { ui } from '../ui-hints.ts';
import { validateJson } from '../validate-config.ts';

/**
 * What an agent or a chat trigger sends to a model: the whole conversation. `schema` is the JSON Schema of
 * the response, which an agent validates itself; the node validates `response_schema`.
 */
export type Conversation = {
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[];
  readonly schema?: JsonObject;
  readonly response_schema?: JsonObject;
};

const anyJson = Type.Unsafe<Json>({});
const anyObject = Type.Unsafe<JsonObject>({ type: 'object' });
const metadata = Type.Optional(anyObject);
const text = closed({ type: Type.Literal('text'), text: Type.String(), metadata });
const role = <R extends string>(name: R, content: Type.TSchema) =>
  closed({ role: Type.Literal(name), content });
const textOr = (...parts: Type.TObject[]) =>
  Type.Union([Type.String(), Type.Array(tagged('type', parts), { minItems: 1 })]);

const message = tagged('role', [
  role('system', Type.String()),
  role('user', textOr(text, closed({ type: Type.Literal('file'), file: anyObject }))),
  role(
    'assistant',
    textOr(
      text,
      closed({ type: Type.Literal('reasoning'), text: Type.String(), metadata }),
      closed({
        type: Type.Literal('tool_call'),
        id: Type.String(),
        name: Type.String(),
        arguments: anyJson,
        metadata,
      }),
      closed({ type: Type.Literal('custom'), kind: Type.String(), metadata }),
    ),
  ),
  role(
    'tool',
    Type.Array(
      closed({
        type: Type.Literal('tool_result'),
        id: Type.String(),
        name: Type.String(),
        result: anyJson,
        is_error: Type.Optional(Type.Boolean()),
      }),
      { minItems: 1 },
    ),
  ),
]);

const messagesSchema = Type.Array(message, { minItems: 1 });

/** The messages of earlier turns, as a field of a configuration. */
export const historyField = Type.Optional(
  Type.Unsafe<Json>({
    title: 'Earlier messages',
    ...ui({ advanced: true }),
    description:
      'Earlier messages of the conversation, as a list of {role, content}. The roles are user and assistant, and the content is text.',
  }),
);

/** Open: the input of a chat trigger has further fields. */
const conversationSchema = Type.Object({
  messages: messagesSchema,
  tools: Type.Optional(
    Type.Array(closed({ name: Type.String(), description: Type.String(), parameters: anyObject })),
  ),
  schema: Type.Optional(anyObject),
  response_schema: Type.Optional(anyObject),
});

/** Returns the errors of a value that should be a conversation. */
export function validateConversation(value: Json): readonly FieldError[] {
  const errors = validateJson(conversationSchema as unknown as JsonObject, value);
  if (errors.length > 0) return errors;
  const { messages } = value as unknown as Conversation;
  return messages.flatMap(({ content }, i) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part, k) =>
          part.type === 'file' && !isFileReference(part.file)
            ? [{ field: `messages[${i}].content[${k}].file`, issue: 'must be a file ({"$file": …})' }]
            : [],
        ),
  );
}

const historySchema = Type.Array(
  tagged('role', [role('user', Type.String()), role('assistant', Type.String())]),
);

/** Returns the errors of a value that should be a list of earlier messages. */
export function validateHistory(value: Json): readonly FieldError[] {
  return validateJson(historySchema as unknown as JsonObject, value).map(({ field, issue }) => ({
    field: `history${field}`,
    issue,
  }));
}
