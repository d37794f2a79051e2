import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

const VERSION = 'v1.';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts values, bound to their owner and name: a row that is moved to another owner or name cannot be
 * decrypted.
 */
export type SecretBox = {
  seal(ownerId: string, name: string, value: string): string;
  /** Throws an Error when the text was changed, moved, or encrypted with another key. */
  open(ownerId: string, name: string, sealed: string): string;
};

/** AES-256-GCM; owner and name are the associated data. `key` is 32 bytes. */
export function createSecretBox(key: Uint8Array): SecretBox {
  // Created once: passing raw bytes costs several times as much as the decryption itself.
  const sealingKey = createSecretKey(key);
  return {
    seal(ownerId, name, value) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, iv);
      cipher.setAAD(createContext(ownerId, name));
      const text = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
      return VERSION + Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url');
    },
    open(ownerId, name, sealed) {
      try {
        if (!sealed.startsWith(VERSION)) throw new Error('unknown form');
        const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
        if (bytes.length < IV_BYTES + TAG_BYTES) throw new Error('too short');
        const decipher = createDecipheriv('aes-256-gcm', sealingKey, bytes.subarray(0, IV_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(createContext(ownerId, name));
        decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch (error) {
        throw new Error(
          `The stored secret ${name} cannot be opened: it was sealed with another secret key, or changed.`,
          {
            cause: error,
          },
        );
      }
    },
  };
}

function createContext(ownerId: string, name: string): Buffer {
  return Buffer.from(JSON.stringify(['weft-secret', ownerId, name]));
}
