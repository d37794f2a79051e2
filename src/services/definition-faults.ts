import type { Definition, Issue } from '../contract/definition.ts';
import type { Fault } from '../contract/errors.ts';
import type { DefinitionCheck } from '../engine/definition-check.ts';
import type { NodeTypes } from '../ports/node-types.ts';
import { triggerIssues } from './triggers.ts';

export type DefinitionFaults = { form: Fault[]; issues: Issue[] };

export type StoredDefinition = { workflowId: string; version: number; definition: Definition };

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
  /** The same for many, in their order. */
  findManyStored(ownerId: string, stored: readonly StoredDefinition[]): Promise<DefinitionFaults[]>;
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

  function ownStored({ workflowId, version, definition }: StoredDefinition): DefinitionCheck {
    const key = `${workflowId} ${version}`;
    let found = remembered.get(key);
    if (found === undefined) {
      found = own(definition);
      if (remembered.size >= REMEMBERED) remembered.delete(remembered.keys().next().value ?? '');
      remembered.set(key, found);
    }
    return found;
  }

  async function withSecrets(
    ownerId: string,
    checks: readonly DefinitionCheck[],
  ): Promise<DefinitionFaults[]> {
    const names = new Set(checks.flatMap((found) => found.secretNames.map((use) => use.name)));
    const set = names.size === 0 ? names : await deps.knownSecrets(ownerId, [...names]);
    return checks.map((found) => {
      const unset = found.secretNames
        .filter((use) => !set.has(use.name))
        .map((use) => ({
          node_id: use.nodeId,
          field: use.field,
          issue: `needs the secret ${use.name}, which is not set`,
        }));
      return { form: found.form, issues: unset.length === 0 ? found.issues : [...found.issues, ...unset] };
    });
  }

  async function one(ownerId: string, found: DefinitionCheck): Promise<DefinitionFaults> {
    const [faults] = await withSecrets(ownerId, [found]);
    return faults!;
  }

  return {
    find: (ownerId, definition) => one(ownerId, own(definition)),
    findStored: (ownerId, workflowId, version, definition) =>
      one(ownerId, ownStored({ workflowId, version, definition })),
    findManyStored: (ownerId, stored) => withSecrets(ownerId, stored.map(ownStored)),
  };
}
