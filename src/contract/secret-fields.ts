/**
 * Where a node sends the secrets that a field reads.
 *
 * - `request`: to the host that the node calls (HTTP, SMTP, PostgreSQL).
 *
 * - `token`: only to the OAuth 2.0 token endpoint.
 *
 * - `proxy`: only to the proxy that the field names.
 *
 * - `local`: nowhere; the node uses it in a computation whose output does not reveal it.
 */
export const secretDestinations = ['request', 'token', 'proxy', 'local'] as const;
export type SecretDestination = (typeof secretDestinations)[number];

/**
 * The fields that may read secrets, by pattern: `authentication.token`, or `headers` with everything below
 * it; `*` matches any key.
 */
export type SecretFields = Readonly<Record<string, SecretDestination>>;

/** A field of a configuration that reads a secret. `field` is relative to the configuration. */
export type SecretRead = {
  readonly pointer: string;
  readonly name: string;
  /** Whether the field is exactly `{{ secrets.NAME }}`. */
  readonly isWhole: boolean;
};

/** Where a secret that the field reads is sent; null: the field must not read secrets. */
export function findSecretDestination(
  fields: SecretFields | undefined,
  pointer: string,
): SecretDestination | null {
  if (fields === undefined) return null;
  const steps = splitPath(pointer);
  for (const [pattern, destination] of Object.entries(fields))
    if (isCovered(pattern.split('.'), steps)) return destination;
  return null;
}

/** Why a field must not read a secret; null when it may. */
export function findSecretReadIssue(
  type: { readonly type: string; readonly secrets?: SecretFields },
  pointer: string,
): string | null {
  if (findSecretDestination(type.secrets, pointer) !== null) return null;
  const allowed = Object.keys(type.secrets ?? {});
  return allowed.length === 0
    ? `must not read a secret; no field of ${type.type} may`
    : `must not read a secret; ${type.type} reads secrets only in ${allowed.join(', ')}`;
}

/** A pattern covers the field that it names and everything below it. */
function isCovered(pattern: readonly string[], steps: readonly string[]): boolean {
  return pattern.length <= steps.length && pattern.every((step, i) => step === '*' || step === steps[i]);
}

const STEP = /\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]|[^.[\]]+/g;

/** The steps of a path such as `a.b[0]["odd name"]`. */
function splitPath(pointer: string): string[] {
  return [...pointer.matchAll(STEP)].map(([whole, quoted, index]) =>
    quoted === undefined ? (index ?? whole) : (JSON.parse(quoted) as string),
  );
}
