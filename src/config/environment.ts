import { editDistance } from '../lib/text/edit-distance.ts';
import type { Setting } from './setting.ts';
import { settings, type SettingName, type SettingValue } from './settings.ts';

/** An invalid setting. The message is a single line for the terminal. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Null: not set, and without a default. @throws {ConfigError} naming the variable, its value and what is
 * accepted.
 */
export function readSetting<Name extends SettingName>(
  env: Environment,
  name: Name,
): SettingValue<Name> | null {
  const setting: Setting<unknown> = settings[name];
  const given = env[name]?.trim();
  const text = given === undefined || given === '' ? setting.fallback : given;
  if (text === null) return null;
  const value = setting.read(text);
  if (value !== null) return value as SettingValue<Name>;
  const received = setting.isSecret === true ? `invalid (${text.length} characters)` : JSON.stringify(text);
  throw new ConfigError(`${name} is ${received}; it must be ${setting.takes}.`);
}

/** Reads a required setting. */
export function requireSetting<Name extends SettingName>(env: Environment, name: Name): SettingValue<Name> {
  const value = readSetting(env, name);
  if (value === null) throw new ConfigError(`${name} is not set; it must be ${settings[name].takes}.`);
  return value;
}

/** Variables of the CLI commands that call a service; the service ignores them. */
export const CLI_VARIABLES: readonly string[] = [
  'WEFT_URL',
  'WEFT_API_KEY',
  'WEFT_TOKEN',
  'WEFT_PASSWORD',
  'WEFT_PROFILE',
];

/** Maximum edit distance to a setting that an error suggests. */
const MAX_SUGGESTION_DISTANCE = 5;

/**
 * @throws {ConfigError} for an unknown `WEFT_` variable, so that a misspelled name does not silently
 * result in the default.
 */
export function rejectUnknownSettings(env: Environment): void {
  for (const name of Object.keys(env).sort()) {
    if (!name.toUpperCase().startsWith('WEFT_') || Object.hasOwn(settings, name)) continue;
    if (CLI_VARIABLES.includes(name)) continue;
    const known = Object.keys(settings).filter((candidate) => candidate.startsWith('WEFT_'));
    const [nearest] = known
      .map((candidate) => ({ candidate, distance: editDistance(name.toUpperCase(), candidate) }))
      .sort((a, b) => a.distance - b.distance);
    const hint =
      nearest !== undefined && nearest.distance <= MAX_SUGGESTION_DISTANCE
        ? `did you mean ${nearest.candidate}?`
        : `it must be one of ${known.join(', ')}.`;
    throw new ConfigError(`${name} is not a setting; ${hint}`);
  }
}
