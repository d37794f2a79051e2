import { hkdfSync, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import path from 'node:path';

const KEY_BYTES = 32;
export const SECRET_KEY_FILE = 'secret.key';

/** Keys for one purpose each, derived from the secret key, so that none can be used for another purpose. */
export type DerivedKeys = {
  readonly tokens: Uint8Array;
  readonly secrets: Uint8Array;
  /** For hashing the emails of failed logins. */
  readonly logins: Uint8Array;
  /** For signing resume URLs. */
  readonly resumes: Uint8Array;
  readonly decisions: Uint8Array;
  readonly formLinks: Uint8Array;
  readonly chatPages: Uint8Array;
  /** For the authorization server: its records, its cookies, its forms, and the seed of its signing key. */
  readonly oauthRecords: Uint8Array;
  readonly oauthCookies: Uint8Array;
  readonly oauthForms: Uint8Array;
  readonly oauthSigning: Uint8Array;
};

/** Parses 32 bytes in base64 (with or without padding); returns null for anything else. */
export function readSecretKey(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]{43}=?$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === KEY_BYTES ? bytes : null;
}

/**
 * Loads the secret key of a data folder from `secret.key`, which is created with mode 0600 if it is missing.
 * It is on disk before it is used, and two processes that create it concurrently get the same key.
 * `beforeMaking` may reject the creation. Throws an Error with the file name when the content is invalid.
 */
export async function loadSecretKey(
  dataDir: string,
  beforeMaking: () => void = () => {},
): Promise<Uint8Array> {
  const file = path.join(dataDir, SECRET_KEY_FILE);
  let text = await readIfThere(file);
  if (text === null) {
    beforeMaking();
    text = await makeKey(dataDir, file);
  }
  const key = readSecretKey(text.trim());
  if (key === null) {
    throw new Error(
      `${file} holds no secret key: it takes 32 bytes in base64. Restore it from a backup; without it the stored secrets cannot be read.`,
    );
  }
  return key;
}

export function deriveKeys(secretKey: Uint8Array): DerivedKeys {
  const derive = (purpose: string): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', secretKey, new Uint8Array(), `weft:${purpose}:v1`, KEY_BYTES));
  return {
    tokens: derive('session-tokens'),
    secrets: derive('stored-secrets'),
    logins: derive('failed-logins'),
    resumes: derive('resume-addresses'),
    decisions: derive('decision-links'),
    formLinks: derive('form-links'),
    chatPages: derive('chat-pages'),
    oauthRecords: derive('oauth-records'),
    oauthCookies: derive('oauth-cookies'),
    oauthForms: derive('oauth-forms'),
    oauthSigning: derive('oauth-signing'),
  };
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Written to a temporary file, synced, then linked: the file is complete or missing, and an existing one is
 * never replaced.
 */
async function makeKey(dataDir: string, file: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(8).toString('hex')}.tmp`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  const folder = await open(dataDir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
  return readFile(file, 'utf8');
}
