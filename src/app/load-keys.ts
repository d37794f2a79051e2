import path from 'node:path';
import { createSecretBox, type SecretBox } from '../auth/secret-box.ts';
import { deriveKeys, loadSecretKey, SECRET_KEY_FILE, type DerivedKeys } from '../auth/secret-key.ts';
import type { Config } from '../config/config.ts';
import type { SecretRow, SecretStore } from '../ports/store/secrets.ts';

/** Number of stored secrets to check, because a single one may be damaged. */
const CHECKED_SECRET_COUNT = 5;

/**
 * Loads the keys of this service. A wrong key would make stored secrets unreadable, so it is rejected.
 * @throws {Error} for the terminal, when no stored secret can be decrypted, or secrets exist and the key file
 * is missing.
 */
export async function loadKeys(
  { secretKey, dataDir }: Pick<Config, 'secretKey' | 'dataDir'>,
  store: Pick<SecretStore, 'sampleSecrets'>,
): Promise<DerivedKeys> {
  const sealed = await store.sampleSecrets(CHECKED_SECRET_COUNT);
  const file = path.join(dataDir, SECRET_KEY_FILE);
  const keys = deriveKeys(
    secretKey ??
      (await loadSecretKey(dataDir, () => {
        if (sealed.length > 0)
          throw createKeyError(`${file} is missing, and stored secrets are encrypted with its key.`);
      })),
  );
  const box = createSecretBox(keys.secrets);
  if (sealed.length > 0 && !sealed.some((row) => canDecrypt(box, row))) {
    const given = secretKey === null ? file : 'WEFT_SECRET_KEY';
    throw createKeyError(`The stored secrets are encrypted with a different key than the one in ${given}.`);
  }
  return keys;
}

function canDecrypt(box: SecretBox, { ownerId, name, value }: SecretRow): boolean {
  try {
    box.open(ownerId, name, value);
    return true;
  } catch {
    return false;
  }
}

function createKeyError(what: string): Error {
  return new Error(
    `${what} Restore the original key: ${SECRET_KEY_FILE} in the data folder (backups contain it), or WEFT_SECRET_KEY if the service used it.`,
  );
}
