import type { Definition, Issue } from '../../contract/definition.ts';
import type { FieldError } from '../../contract/errors.ts';
import type { DefinitionCheck, Reference } from '../../engine/graph/definition-check.ts';
import type { NodeTypes, UserNodeTypes } from '../../ports/node-types.ts';
import type { Sandbox, SyntaxProblem } from '../../ports/sandbox.ts';
import { listTriggerIssues } from '../triggers/active-triggers.ts';
import {
  listGuardedTriggers,
  MIN_TRIGGER_SECRET_LENGTH,
  type GuardedTrigger,
} from '../webhooks/trigger-secret.ts';

export type DefinitionErrors = {
  form: FieldError[];
  issues: Issue[];
  /**
   * Errors that prevent it from running. A missing workflow is no error here: only the node that needs it
   * fails.
   */
  runIssues: Issue[];
};

export type StoredDefinition = { workflowId: string; version: number; definition: Definition };

/** Validates a definition for its owner, including the resources that it references. */
export type DefinitionValidator = {
  find(ownerId: string, definition: Definition): Promise<DefinitionErrors>;
  /** Returns the secrets, connections and workflows that the definition references. */
  references(ownerId: string, definition: Definition): Promise<readonly Reference[]>;
  /** Validates a stored version; errors that depend only on the version are cached. */
  findStored(
    ownerId: string,
    workflowId: string,
    version: number,
    definition: Definition,
  ): Promise<DefinitionErrors>;
  /** Validates many stored versions; results are in the order of the input. */
  findManyStored(ownerId: string, stored: readonly StoredDefinition[]): Promise<DefinitionErrors[]>;
};

/**
 * `isLasting`: the result stays valid while the node types are unchanged. Compilation may fail temporarily
 * when no process is available.
 */
type OwnErrors = Pick<DefinitionCheck, 'form' | 'issues' | 'references'> & {
  guarded: readonly GuardedTrigger[];
  isLasting: boolean;
};

/** Maximum number of definitions whose errors are cached. */
const MAX_CACHED_DEFINITIONS = 200;

export function createDefinitionValidator(deps: {
  /** Returns the names whose secrets are shorter than `characters`. */
  listShortSecrets(
    ownerId: string,
    names: readonly string[],
    characters: number,
  ): Promise<ReadonlySet<string>>;
  check(definition: Definition, types: NodeTypes): Promise<DefinitionCheck>;
  /** Returns the names that exist for the owner. */
  known: Record<
    Reference['kind'],
    (ownerId: string, names: readonly string[]) => Promise<ReadonlySet<string>>
  >;
  nodeTypes: UserNodeTypes;
  /** Compiles code without running it. */
  compile: Sandbox['check'];
}): DefinitionValidator {
  const remembered = new Map<string, { types: NodeTypes; found: OwnErrors }>();
  /** A definition that was validated for saving is usually validated again for the response. */
  const checked = new WeakMap<Definition, { types: NodeTypes; found: OwnErrors }>();

  async function own(ownerId: string, definition: Definition, types: NodeTypes): Promise<OwnErrors> {
    const known = checked.get(definition);
    if (known?.types === types) return known.found;
    const found = await check(ownerId, definition, types);
    if (found.isLasting) checked.set(definition, { types, found });
    return found;
  }

  async function check(ownerId: string, definition: Definition, types: NodeTypes): Promise<OwnErrors> {
    const { form, issues, references, sources } = await deps.check(definition, types);
    const broken: Issue[] = [];
    for (const { nodeId, field, source } of sources) {
      const error = await deps.compile(ownerId, source);
      if (error !== null) broken.push({ node_id: nodeId, field, issue: formatSourceIssue(error) });
    }
    return {
      form,
      issues: [...issues, ...listTriggerIssues(definition, types), ...broken],
      references,
      guarded: listGuardedTriggers(definition, types),
      isLasting: broken.length === 0,
    };
  }

  async function validateStored(
    ownerId: string,
    { workflowId, version, definition }: StoredDefinition,
    types: NodeTypes,
  ): Promise<OwnErrors> {
    const key = `${workflowId} ${version}`;
    const known = remembered.get(key);
    // A missing node type may have been registered since.
    if (known?.types === types) return known.found;
    const found = await own(ownerId, definition, types);
    remembered.delete(key);
    if (!found.isLasting) return found;
    if (remembered.size >= MAX_CACHED_DEFINITIONS) remembered.delete(remembered.keys().next().value ?? '');
    remembered.set(key, { types, found });
    return found;
  }

  /** Adds errors for references to missing resources. */
  async function addMissingResources(
    ownerId: string,
    checks: readonly OwnErrors[],
  ): Promise<DefinitionErrors[]> {
    const known = new Map<Reference['kind'], ReadonlySet<string>>();
    for (const [kind, uses] of Map.groupBy(
      checks.flatMap(({ references }) => references),
      (use) => use.kind,
    ))
      known.set(kind, await deps.known[kind](ownerId, [...new Set(uses.map(({ name }) => name))]));
    const guards = checks.flatMap(({ guarded }) => guarded.map(({ name }) => name));
    const short =
      guards.length === 0
        ? new Set<string>()
        : await deps.listShortSecrets(ownerId, guards, MIN_TRIGGER_SECRET_LENGTH);
    return checks.map(({ form, issues, references, guarded }) => {
      const missing = references.filter(({ kind, name }) => known.get(kind)?.has(name) !== true);
      const needed = missing.filter(({ kind }) => kind !== 'workflow');
      return {
        form,
        // An active workflow stays active: only a change requires a longer secret.
        issues: [
          ...issues,
          ...missing.map(missingIssue),
          ...guarded.filter(({ name }) => short.has(name)).map(shortIssue),
        ],
        runIssues: [...issues, ...needed.map(missingIssue)],
      };
    });
  }

  async function one(ownerId: string, found: OwnErrors): Promise<DefinitionErrors> {
    const [errors] = await addMissingResources(ownerId, [found]);
    return errors!;
  }

  return {
    async find(ownerId, definition) {
      return one(ownerId, await own(ownerId, definition, await deps.nodeTypes.of(ownerId)));
    },
    async references(ownerId, definition) {
      return (await own(ownerId, definition, await deps.nodeTypes.of(ownerId))).references;
    },
    async findStored(ownerId, workflowId, version, definition) {
      const types = await deps.nodeTypes.of(ownerId);
      return one(ownerId, await validateStored(ownerId, { workflowId, version, definition }, types));
    },
    async findManyStored(ownerId, stored) {
      const types = await deps.nodeTypes.of(ownerId);
      const found: OwnErrors[] = [];
      for (const one of stored) found.push(await validateStored(ownerId, one, types));
      return addMissingResources(ownerId, found);
    },
  };
}

/** Example: `does not compile: Unexpected token ';' (line 2, column 13)`. */
export function formatSourceIssue({ message, line, column }: SyntaxProblem): string {
  const location = line === null ? '' : ` (line ${line}${column === null ? '' : `, column ${column}`})`;
  return `does not compile: ${message}${location}`;
}

function shortIssue({ nodeId, name, authentication }: GuardedTrigger): Issue {
  const issue = `needs a secret of at least ${MIN_TRIGGER_SECRET_LENGTH} characters for authentication ${authentication}; ${name} is shorter`;
  return { node_id: nodeId, field: 'config.secret', issue };
}

function missingIssue({ kind, nodeId, field, name }: Reference): Issue {
  const issue = {
    secret: `needs the secret ${name}, which is not set`,
    connection: `needs the connection ${name}, which is not there`,
    workflow: `is not the id of one of your workflows: ${JSON.stringify(name)}`,
  };
  return { node_id: nodeId, field, issue: issue[kind] };
}
