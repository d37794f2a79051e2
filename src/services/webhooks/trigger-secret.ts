import type { Definition } from '../../contract/definition.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import { listTriggerNodes } from '../triggers/active-triggers.ts';

/**
 * Minimum length of a secret that alone authenticates callers, in characters: a shorter one could be guessed.
 */
export const MIN_TRIGGER_SECRET_LENGTH = 16;
const PAGE_SIZE = 100;

/** A webhook trigger that authenticates its callers with such a secret. */
export type GuardedTrigger = { nodeId: string; name: string; authentication: string };

/** Excludes `basic`: its secret begins with a user name. */
export function listGuardedTriggers(definition: Definition, types: NodeTypes): GuardedTrigger[] {
  return listTriggerNodes(definition, types).flatMap(({ entry, type, config }) => {
    const { authentication, secret } = config;
    const isGuarded =
      authentication === 'bearer' ||
      authentication === 'api_key' ||
      authentication === 'hmac' ||
      authentication === 'sender';
    return type === 'webhook' && isGuarded && typeof secret === 'string'
      ? [{ nodeId: entry.id, name: secret, authentication }]
      : [];
  });
}

/**
 * Returns the name of an active workflow of the owner whose webhook authenticates callers with this secret;
 * null without one.
 */
export async function findWorkflowGuardedBy(
  workflows: Pick<WorkflowStore, 'list' | 'version'>,
  types: NodeTypes,
  ownerId: string,
  secret: string,
): Promise<string | null> {
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const { rows } = await workflows.list(ownerId, { status: 'active' }, offset, PAGE_SIZE);
    for (const { id, name, activeVersion } of rows) {
      const live = activeVersion === null ? null : await workflows.version(ownerId, id, activeVersion);
      if (live !== null && listGuardedTriggers(live.definition, types).some((one) => one.name === secret))
        return name;
    }
    if (rows.length < PAGE_SIZE) return null;
  }
}
