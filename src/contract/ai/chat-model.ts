import type { JsonObject } from '../../lib/json/json.ts';

/** A workflow as a model of OpenAI's chat completions, as its trigger declares it. */
export type ChatModel = {
  /** What clients send as `model`. */
  readonly name: string;
};

/** Reads the configuration of a trigger of the kind `chat`, which is valid. */
export function readChatModel({ name }: JsonObject): ChatModel {
  return { name: typeof name === 'string' ? name : '' };
}
