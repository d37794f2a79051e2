import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Session } from '../../sdk/src/index.ts';
import type { Environment } from '../config/environment.ts';
import { UsageError } from './usage-error.ts';

/** The URL of a service and a credential. */
export type Profile = {
  readonly url: string;
  readonly apiKey?: string;
  readonly session?: Session;
};

export type Profiles = { readonly current: string; readonly profiles: Readonly<Record<string, Profile>> };

export const DEFAULT_PROFILE = 'default';
const empty: Profiles = { current: DEFAULT_PROFILE, profiles: {} };

/** Returns the file with all profiles: `$XDG_CONFIG_HOME/weft/profiles.json`; `~/.config` unless set. */
export function findProfilesFile(env: Environment): string {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  return path.join(given === '' ? path.join(homedir(), '.config') : given, 'weft', 'profiles.json');
}

/** @throws {Error} with a message for users when the file exists and is not usable. */
export function readProfiles(file: string): Profiles {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return empty;
    throw error;
  }
  try {
    const { current, profiles } = JSON.parse(text) as Partial<Profiles>;
    if (typeof current === 'string' && typeof profiles === 'object' && profiles !== null)
      return { current, profiles };
  } catch {
    // Reported below.
  }
  throw new Error(`${file} is not readable as profiles; mend it, or remove it and log in again.`);
}

/** Returns the error for an unknown profile. */
export function createUnknownProfileError(name: string, profiles: Profiles['profiles']): UsageError {
  const names = Object.keys(profiles).join(', ');
  return new UsageError(
    `There is no profile ${name}; there ${names === '' ? 'is none at all' : `are: ${names}`}.`,
  );
}

/** Changes the file, which only its owner can read. The write is atomic. */
export function changeProfiles(file: string, change: (profiles: Profiles) => Profiles): void {
  const next = change(readProfiles(file));
  const folder = path.dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}`;
  try {
    writeFileSync(fresh, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 });
    chmodSync(fresh, 0o600);
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** Returns the profiles without the credential of one. */
export function withoutCredential(profiles: Profiles, name: string): Profiles {
  const { [name]: profile, ...others } = profiles.profiles;
  if (profile === undefined) return profiles;
  return { ...profiles, profiles: { ...others, [name]: { url: profile.url } } };
}
