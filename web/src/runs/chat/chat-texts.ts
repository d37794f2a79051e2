import type { StreamEvent } from 'weft-client';
import { isRecord } from '../../node-panel/model/field-path.ts';

/** The text that an execution is writing: that of the node run that wrote last. */
export class ChatTestTexts {
  readonly #texts = new Map<string, string>();
  #path = '';

  get current(): string {
    return this.#texts.get(this.#path) ?? '';
  }

  /** Returns whether the text has changed. */
  receive(event: StreamEvent): boolean {
    if (event.type !== 'text' && (event.type !== 'reset' || event.of !== 'text')) return false;
    this.#path = event.path;
    const before = event.type === 'reset' ? '' : (this.#texts.get(event.path) ?? '');
    this.#texts.set(event.path, event.type === 'reset' ? '' : before + event.text);
    return true;
  }
}

/** The text of a response, as a chat client receives it. */
export function readChatText(output: unknown): string {
  if (typeof output === 'string') return output;
  // Results of models have the tokens that were used.
  if (isRecord(output) && isRecord(output['usage']) && typeof output['text'] === 'string')
    return output['text'];
  return JSON.stringify(output, null, 2);
}
