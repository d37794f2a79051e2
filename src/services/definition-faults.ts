import type { Definition, Issue } from '../contract/definition.ts';
import type { Fault } from '../contract/errors.ts';
import type { DefinitionCheck } from '../engine/definition-check.ts';
import type { NodeTypes } from '../ports/node-types.ts';
import { triggerIssues } from './triggers.ts';

export type DefinitionFaults = { form: Fault[]; issues: Issue[] };

/** What is wrong with a definition of this owner, unset secrets included. */
export type FaultFinder = {
  find(ownerId: string, definition: Definition): Promise<DefinitionFaults>;
  /** The same for a stored version, whose own faults never change and are remembered. */
  findStored(
    ownerId: string,
    workflowId: string,
    version: number,
    definition: Definition,
  ): Promise<DefinitionFaults>;
};

/** Definitions whose own faults are remembered. */
const REMEMBERED = 200;

export function createFaultFinder(deps: {
  check(definition: Definition): DefinitionCheck;
  /** Those of the names that are stored. */
  knownSecrets(ownerId: string, names: readonly string[]): Promise<ReadonlySet<string>>;
  nodeTypes: NodeTypes;
}): FaultFinder {
  const remembered = new Map<string, DefinitionCheck>();

  function own(definition: Definition): DefinitionCheck {
    const { form, issues, secretNames } = deps.check(definition);
    return {
      form,
      issues: [...issues, ...triggerIssues(definition, deps.nodeTypes)],
      secretNames,
    };
  }

  async function withSecrets(ownerId: string, found: DefinitionCheck): Promise<DefinitionFaults> {
    if (found.secretNames.length === 0) return { form: found.form, issues: found.issues };
    const set = await deps.knownSecrets(
      ownerId,
      found.secretNames.map((use) => use.name),
    );
    const unset = found.secretNames
      .filter((use) => !set.has(use.name))
      .map((use) => ({
        node_id: use.nodeId,
        field: use.field,
        issue: `needs the secret ${use.name}, which is not set`,
      }));
    return { form: found.form, issues: [...found.issues, ...unset] };
  }

  return {
    find: (ownerId, definition) => withSecrets(ownerId, own(definition)),
    findStored(ownerId, workflowId, version, definition) {
      const key = `${workflowId} ${version}`;
      let found = remembered.get(key);
      if (found === undefined) {
        found = own(definition);
        if (remembered.size >= REMEMBERED) remembered.delete(remembered.keys().next().value ?? '');
        remembered.set(key, found);
      }
      return withSecrets(ownerId, found);
    },
  };
}
