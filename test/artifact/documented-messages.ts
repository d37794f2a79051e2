import { createValidator, type DocumentValidator } from '../support/openapi/document-validator.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';

type Channel = { messages: Record<string, { $ref: string }> };

/** The messages of the AsyncAPI document that the service gives out. Records which of them were exchanged. */
export class DocumentedMessages {
  readonly #channels: Record<string, Channel>;
  readonly #validate: DocumentValidator;
  readonly #seen = new Set<string>();

  constructor(document: JsonObject) {
    this.#channels = document['channels'] as unknown as Record<string, Channel>;
    this.#validate = createValidator(document);
  }

  /** With the document of the service at `url`, which ends with /v1. */
  static async open(url: string): Promise<DocumentedMessages> {
    const response = await fetch(`${url}/asyncapi.json`);
    return new DocumentedMessages((await response.json()) as JsonObject);
  }

  /** Throws when the channel has no such message, or when its payload is not as the document describes it. */
  check(channel: string, name: string, payload: unknown): void {
    const message = this.#channels[channel]?.messages[name];
    if (message === undefined) throw new Error(`The channel ${channel} has no message ${name}`);
    const error = this.#validate(`${message.$ref.slice(1)}/payload`, payload);
    if (error !== null) throw new Error(`${name}: ${error}\n${JSON.stringify(payload)}`);
    this.#seen.add(`${channel} ${name}`);
  }

  unseen(): string[] {
    return Object.entries(this.#channels)
      .flatMap(([channel, { messages }]) => Object.keys(messages).map((name) => `${channel} ${name}`))
      .filter((key) => !this.#seen.has(key));
  }
}
