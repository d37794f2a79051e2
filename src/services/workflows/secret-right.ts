import type { Definition } from '../../contract/definition.ts';
import { WeftError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import type { Reference } from '../../engine/graph/definition-check.ts';
import { isJsonEqual } from '../../lib/json/json-equal.ts';
import type { Json } from '../../lib/json/json.ts';
import type { DefinitionValidator } from './validate-definition.ts';

type Entry = Definition['nodes'][number];

/** Whether the credential may save nodes that use secrets or connections. */
export function mayUseSecrets({ scopes }: Principal): boolean {
  return scopes === null || scopes.has('secrets:use');
}

/**
 * Returns the first node that uses a secret or a connection and is not in `before` with the same type and
 * configuration: a changed configuration could send the secret to another host.
 */
function findChangedSecretUse(
  references: readonly Reference[],
  definition: Definition,
  before: Definition | null,
): Reference | null {
  const nodes = byId(definition);
  const known = byId(before);
  const isKept = ({ nodeId }: Reference): boolean => {
    const [now, then] = [nodes.get(nodeId), known.get(nodeId)];
    return now !== undefined && then !== undefined && isSameUse(now, then);
  };
  return references.find((one) => one.kind !== 'workflow' && !isKept(one)) ?? null;
}

/** @throws {WeftError} FORBIDDEN for a node that uses a secret or a connection and is not in `before`. */
export async function refuseNewSecretUse(
  validator: Pick<DefinitionValidator, 'references'>,
  ownerId: string,
  definition: Definition,
  before: Definition | null,
): Promise<void> {
  const use = findChangedSecretUse(await validator.references(ownerId, definition), definition, before);
  if (use !== null) refuseSecretUse(use);
}

/** @throws {WeftError} FORBIDDEN, always. */
export function refuseSecretUse({ kind, name, nodeId, field }: Reference): never {
  throw new WeftError(
    'FORBIDDEN',
    `This credential lacks the scope secrets:use, which is needed to add or change a node that uses a secret or a connection; the node ${nodeId} uses the ${kind} ${name}.`,
    { scope: 'secrets:use', node_id: nodeId, field },
  );
}

function byId(definition: Definition | null): ReadonlyMap<string, Entry> {
  return new Map((definition?.nodes ?? []).map((entry) => [entry.id, entry]));
}

function isSameUse(now: Entry, then: Entry): boolean {
  const part = ({ type, version, config }: Entry) => ({
    type,
    version: version ?? null,
    config: config ?? {},
  });
  return isJsonEqual(part(now) as Json, part(then) as Json);
}
