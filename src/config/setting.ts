/** One environment variable. */
export type Setting<T> = {
  /** The default, as text; null: none. */
  readonly fallback: string | null;
  readonly takes: string;
  readonly meaning: string;
  /** Parses the text; null when it is invalid. */
  readonly read: (text: string) => T | null;
  /** True: the value is never printed. */
  readonly isSecret?: boolean;
};

export function defineSetting<T>(one: Setting<T>): Setting<T> {
  return one;
}
