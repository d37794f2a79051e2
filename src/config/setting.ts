/** One environment variable. */
export type Setting<T> = {
  /** As the person would write it; null: none. */
  readonly fallback: string | null;
  readonly takes: string;
  readonly meaning: string;
  /** Null when the text is wrong. */
  readonly read: (text: string) => T | null;
  /** True: its value is never shown. */
  readonly isSecret?: boolean;
};

export function setting<T>(one: Setting<T>): Setting<T> {
  return one;
}
