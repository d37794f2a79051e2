import path from 'node:path';
import { createSecretBox, type SecretBox } from '../auth/secret-box.ts';
import { deriveKeys, loadSecretKey, SECRET_KEY_FILE, type DerivedKeys } from '../auth/secret-key.ts';
import type { Config } from '../config/config.ts';
import type { SecretRow, SecretStore } from '../ports/store/secrets.ts';

/** Stored secrets that are tried: a single one may be damaged. */
const CHECKED_SECRET_COUNT = 5;

/**
 * Loads the keys of this service. A wrong key would make stored secrets unreadable, so it is refused.
 * @throws {Error} fit for the terminal when no stored secret can be opened, or when secrets exist and the key file is missing.
 */
export async function loadKeys(
  { secretKey, dataDir }: Pick<Config, 'secretKey' | 'dataDir'>,
  store: Pick<SecretStore, 'someSecrets'>,
): Promise<DerivedKeys> {
  const sealed = await store.someSecrets(CHECKED_SECRET_COUNT);
  const file = path.join(dataDir, SECRET_KEY_FILE);
  const keys = deriveKeys(
    secretKey ??
      (await loadSecretKey(dataDir, () => {
        if (sealed.length > 0)
          throw otherKey(`${file} is missing, and stored secrets were sealed with its key.`);
      })),
  );
  const box = createSecretBox(keys.secrets);
  if (sealed.length > 0 && !sealed.some((row) => opens(box, row))) {
    const given = secretKey === null ? file : 'WEFT_SECRET_KEY';
    throw otherKey(`The stored secrets were sealed with another key than that of ${given}.`);
  }
  return keys;
}

function opens(box: SecretBox, { ownerId, name, value }: SecretRow): boolean {
  try {
    box.open(ownerId, name, value);
    return true;
  } catch {
    return false;
  }
}

function otherKey(what: string): Error {
  return new Error(
    `${what} Put the right one back: ${SECRET_KEY_FILE} of the data folder, which a backup has, or WEFT_SECRET_KEY where the service ran with that.`,
  );
}
