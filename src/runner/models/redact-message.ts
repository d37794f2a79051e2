import type { ModelMessage } from '../../contract/ai/models.ts';

type Redact = <T>(value: T) => T;

/**
 * Redacts secrets in what a model reads. What the model wrote is returned to it unchanged, because providers
 * sign parts of it.
 */
export function redactMessage(message: ModelMessage, redact: Redact): ModelMessage {
  switch (message.role) {
    case 'assistant':
      return message;
    case 'system':
      return { ...message, content: redact(message.content) };
    case 'user':
      return {
        ...message,
        content:
          typeof message.content === 'string'
            ? redact(message.content)
            : message.content.map((part) =>
                part.type === 'text' ? { ...part, text: redact(part.text) } : part,
              ),
      };
    case 'tool':
      return {
        ...message,
        content: message.content.map((part) => ({ ...part, result: redact(part.result) })),
      };
  }
}
