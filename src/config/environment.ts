import { editDistance } from '../lib/text/edit-distance.ts';
import type { Setting } from './setting.ts';
import { settings, type SettingName, type SettingValue } from './settings.ts';

/** A setting that is wrong; the message is one line for the person who set it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Null: not set, and without a default. @throws {ConfigError} naming the variable, what it got and what it takes. */
export function readSetting<Name extends SettingName>(
  env: Environment,
  name: Name,
): SettingValue<Name> | null {
  const one: Setting<unknown> = settings[name];
  const given = env[name]?.trim();
  const text = given === undefined || given === '' ? one.fallback : given;
  if (text === null) return null;
  const value = one.read(text);
  if (value !== null) return value as SettingValue<Name>;
  const got = one.isSecret === true ? `${text.length} characters that it cannot use` : JSON.stringify(text);
  throw new ConfigError(`${name} got ${got}; it takes ${one.takes}.`);
}

/** The same for a setting that must be there. */
export function requireSetting<Name extends SettingName>(env: Environment, name: Name): SettingValue<Name> {
  const value = readSetting(env, name);
  if (value === null) throw new ConfigError(`${name} is not set; it takes ${settings[name].takes}.`);
  return value;
}

/** What the commands that ask a service read; it says nothing to the service itself. */
export const ofTheCommand: readonly string[] = [
  'WEFT_URL',
  'WEFT_API_KEY',
  'WEFT_TOKEN',
  'WEFT_PASSWORD',
  'WEFT_PROFILE',
];

/**
 * @throws {ConfigError} for a `WEFT_` variable that is no setting: a typing error must not start a service with a default.
 */
export function refuseUnknown(env: Environment): void {
  for (const name of Object.keys(env).sort()) {
    if (!name.toUpperCase().startsWith('WEFT_') || Object.hasOwn(settings, name)) continue;
    if (ofTheCommand.includes(name)) continue;
    const known = Object.keys(settings).filter((one) => one.startsWith('WEFT_'));
    const [nearest] = known
      .map((one) => ({ one, far: editDistance(name.toUpperCase(), one) }))
      .sort((a, b) => a.far - b.far);
    const hint =
      nearest !== undefined && nearest.far <= 5
        ? `did you mean ${nearest.one}?`
        : `it takes one of ${known.join(', ')}.`;
    throw new ConfigError(`${name} is not a setting; ${hint}`);
  }
}
