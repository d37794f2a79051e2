import { isObject, type JsonObject } from '../../lib/json/json.ts';
import type { FormBrand } from '../forms/form.ts';
import { readFormBrand } from '../forms/form.ts';
import { readFormAccess, readFormLinks, type FormAccess, type FormLink } from '../forms/form-access.ts';

/** The hosted page of a chat trigger. */
export type ChatPage = {
  readonly title: string;
  /** A text before the first message; null: none. */
  readonly welcome: string | null;
  readonly access: FormAccess;
  readonly links: readonly FormLink[];
  /** Origins of sites that may embed the page. */
  readonly embedOrigins: readonly string[];
  readonly acceptsFiles: boolean;
  readonly brand: FormBrand;
};

/** The parameter of the URL with the id of the conversation. */
export const CHAT_PARAMETER = 'chat';
/** Ids of conversations and messages, which pages choose. */
export const CHAT_ID = /^[\w-]{16,64}$/;
export const MAX_CHAT_TEXT_LENGTH = 16_384;
export const MAX_CHAT_FILES = 5;
/** The bytes of one message with its files. */
export const MAX_CHAT_BYTES = 10 * 1024 * 1024;

/** Reads the configuration of a chat trigger, which is valid; null: it has no page. */
export function readChatPage(config: JsonObject): ChatPage | null {
  const { page, name } = config;
  if (!isObject(page ?? null)) return null;
  const given = page as JsonObject;
  const origins = given['embed_origins'];
  return {
    title: text(given['title']) ?? text(name) ?? '',
    welcome: text(given['welcome']),
    access: readFormAccess(given),
    links: readFormLinks(given),
    embedOrigins: Array.isArray(origins) ? origins.filter((one) => typeof one === 'string') : [],
    acceptsFiles: given['files'] === true,
    brand: readFormBrand(given),
  };
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
