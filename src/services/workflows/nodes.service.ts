import { isPackTriggerType } from '../../contract/packs/packs.ts';
import { validate } from '../../contract/validate.ts';
import {
  WeftError,
  createConflictError,
  createNotFoundError,
  createValidationError,
} from '../../contract/errors.ts';
import type { LogLevel } from '../../contract/execution.ts';
import type { NodeFailure, NodeType } from '../../contract/node-type.ts';
import type { CodeBundle, PackageLock } from '../../contract/packs/packages.ts';
import type { Principal } from '../../contract/principal.ts';
import {
  NodeQuerySchema,
  RegisterNodeSchema,
  MAX_TEST_MS,
  RemoveNodeQuerySchema,
  TestNodeSchema,
  type CustomNode,
  type CustomType,
} from '../../contract/requests/node.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import { createCustomNodeType, runCustomNode, validateCustomNode } from '../../nodes/code/custom-node.ts';
import { validateValue } from '../../nodes/validate-config.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { NodeTypes, UserNodeTypes } from '../../ports/node-types.ts';
import type { PackageBundler } from '../../ports/package-bundler.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import type { CustomNodeStore, NodeUse } from '../../ports/store/custom-nodes.ts';
import { formatSourceIssue } from './validate-definition.ts';
import type { AuditEvent } from '../../contract/audit/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { requireScope } from '../authorize.ts';
import type { Static } from 'typebox';

/** Maximum number of workflows that a conflict error lists. */
const MAX_USES = 100;
/** Concurrent tests of a user, so that tests do not delay the user's executions. */
const MAX_TESTS = 2;
/** Maximum difference between the clocks of two processes, ms. */
const MAX_CLOCK_SKEW_MS = 60_000;

export type NodesDeps = {
  /** The node types of all users. */
  shared: () => Promise<NodeTypes>;
  nodeTypes: UserNodeTypes;
  customNodes: Pick<CustomNodeStore, 'create' | 'uses' | 'remove'>;
  sandbox: Pick<Sandbox, 'check' | 'run'>;
  packages: PackageBundler;
  clock: Pick<Clock, 'now'>;
  readonly audit: Pick<AuditLog, 'describe'>;
};

/** How a custom node ran in a test. `duration` in ms. */
export type NodeTest = {
  readonly output: Json;
  readonly error: NodeFailure | null;
  readonly logs: readonly { readonly level: LogLevel; readonly message: string }[];
  readonly duration: number;
};

export type Nodes = ReturnType<typeof createNodes>;

/**
 * The catalog of node types: the built-in types and the caller's own. A type of another owner is NOT_FOUND,
 * like a missing one.
 */
export function createNodes({ shared, nodeTypes, customNodes, sandbox, packages, audit, clock }: NodesDeps) {
  function describeChange(
    principal: Principal,
    action: 'node.created' | 'node.deleted',
    name: string,
    version: string | null,
  ): AuditEvent {
    return audit.describe(principal, action, { id: name, name }, { version });
  }

  /** Running tests by user. */
  const tests = new Map<string, number>();

  async function bundled(ownerId: string, handler: string, lock: PackageLock): Promise<CodeBundle> {
    const result = await packages.bundle(ownerId, handler, lock);
    if (result.kind === 'bundle') return result.bundle;
    throw createValidationError(
      result.errors.map(({ field, issue }) => ({ field: `implementation.${field}`, issue })),
    );
  }

  return {
    /**
     * Lists the newest version of each type, or the types that have exactly the requested version, sorted by
     * name.
     */
    async list(principal: Principal, input: unknown): Promise<NodeType[]> {
      requireScope(principal, 'nodes:read');
      const { category, search, version } = validate(NodeQuerySchema, input);
      const types = await nodeTypes.of(principal.userId);
      const wanted = search?.toLowerCase() ?? '';
      const all =
        version === undefined ? types.all() : types.all().flatMap((type) => types.versions(type.type));
      return all.filter(
        (type) =>
          (category === undefined || type.category === category) &&
          (version === undefined || type.version === version) &&
          [type.name, type.description, ...type.keywords].some((text) => text.toLowerCase().includes(wanted)),
      );
    },

    async get(principal: Principal, id: string): Promise<NodeType> {
      requireScope(principal, 'nodes:read');
      const type = (await nodeTypes.of(principal.userId)).get(id);
      if (type === undefined) throw createNotFoundError('node');
      return type;
    },

    /** Lists the versions of a type, newest first. */
    async versions(principal: Principal, id: string): Promise<readonly NodeType[]> {
      requireScope(principal, 'nodes:read');
      const versions = (await nodeTypes.of(principal.userId)).versions(id);
      if (versions.length === 0) throw createNotFoundError('node');
      return versions;
    },

    /**
     * Registers a version of a custom node. Its code, and its packages if it has any, are compiled here and
     * run only in executions.
     * @throws {WeftError} VALIDATION_ERROR; RATE_LIMITED when too many packages are being bundled; CONFLICT
     * when the version exists, the name belongs to a built-in node, or the owner's quota is used up.
     */
    async register(principal: Principal, input: unknown): Promise<NodeType> {
      requireScope(principal, 'nodes:write');
      const given = validate(RegisterNodeSchema, input);
      const node = readNode(given);
      const errors = validateCustomNode(node);
      if (errors.length > 0) throw createValidationError(errors);
      if (isPackTriggerType(node.nodeType))
        throw createConflictError(`${node.nodeType} is reserved for the triggers of a pack.`, {
          field: 'nodeType',
        });
      const taken = (await shared()).get(node.nodeType);
      if (taken !== undefined)
        throw createConflictError(
          `${node.nodeType} is the name of a ${readPackName(taken) === null ? 'built-in node' : 'pack'}.`,
          { field: 'nodeType' },
        );
      const { userId } = principal;
      const lock = given.implementation.dependencies ?? {};
      if (Object.keys(lock).length > 0) node.bundle = await bundled(userId, node.handler, lock);
      const error = await sandbox.check(userId, node.bundle?.source ?? node.handler);
      if (error !== null)
        throw createValidationError([{ field: 'implementation.handler', issue: formatSourceIssue(error) }]);
      const result = await customNodes.create(
        { ownerId: userId, node, createdAt: clock.now() },
        { versions: limits.customNodeVersions, bytes: limits.customNodeBytes },
        describeChange(principal, 'node.created', node.nodeType, node.version),
      );
      if (result === 'exists')
        throw createConflictError(
          `${node.nodeType} ${node.version} is registered already, and never changes: register a higher version.`,
          { field: 'version', version: node.version },
        );
      if (result === 'deleted')
        throw createConflictError(
          `${node.nodeType} ${node.version} was deleted, and does not come back: register a higher version.`,
          { field: 'version', version: node.version },
        );
      if (result === 'full')
        throw createConflictError(
          `A user can have at most ${limits.customNodeVersions} versions of custom nodes, with ${limits.customNodeBytes} bytes in total.`,
          { versions: limits.customNodeVersions, bytes: limits.customNodeBytes },
        );
      const type = (await nodeTypes.of(userId)).get(node.nodeType, node.version);
      // Only the deletion of the user removes a version that was just registered.
      if (type === undefined) throw new WeftError('UNAUTHORIZED');
      return type;
    },

    /**
     * Runs the code of a custom node once in the sandbox. Nothing is registered or stored.
     * @throws {WeftError} VALIDATION_ERROR; RATE_LIMITED when too many code runs are waiting, or too many
     * tests of the user
     */
    async test(
      principal: Principal,
      input: unknown,
      signal: AbortSignal = new AbortController().signal,
    ): Promise<NodeTest> {
      requireScope(principal, 'nodes:write');
      const { values = {}, timeout, ...code } = validate(TestNodeSchema, input);
      const timeoutMs = timeout === undefined ? null : parseDuration(timeout);
      if (timeout !== undefined && (timeoutMs === null || timeoutMs === 0 || timeoutMs > MAX_TEST_MS))
        throw createValidationError([
          { field: 'timeout', issue: 'must be a duration of at most 30s, such as 5s' },
        ]);
      const node = readNode({ ...code, nodeType: 'test' });
      const given = values as JsonObject;
      const errors = validateCustomNode(node);
      if (errors.length === 0)
        for (const { field, issue } of validateValue(createCustomNodeType(node), given))
          errors.push({ field: field.startsWith('[') ? `values${field}` : `values.${field}`, issue });
      if (Object.hasOwn(values, 'timeout'))
        errors.push({
          field: 'values.timeout',
          issue: 'is not an input: use the field timeout of the request',
        });
      if (errors.length > 0) throw createValidationError(errors);
      const { userId } = principal;
      const lock = code.implementation.dependencies ?? {};
      if (Object.keys(lock).length > 0) node.bundle = await bundled(userId, node.handler, lock);
      const running = tests.get(userId) ?? 0;
      if (running >= MAX_TESTS)
        throw new WeftError('RATE_LIMITED', `At most ${MAX_TESTS} tests of a user run at a time.`, {
          reason: 'capacity',
          retry_after: 1,
        });
      tests.set(userId, running + 1);
      const logs: { level: LogLevel; message: string }[] = [];
      const log = (level: LogLevel, message: string): void => void logs.push({ level, message });
      const began = performance.now();
      const outcome = await runCustomNode(
        node,
        { log, code: { run: (call) => sandbox.run({ ...call, ownerId: userId, signal, log }) } },
        timeout === undefined ? given : { ...given, timeout },
      ).finally(() => {
        const rest = (tests.get(userId) ?? 1) - 1;
        if (rest === 0) tests.delete(userId);
        else tests.set(userId, rest);
      });
      const duration = Math.round(performance.now() - began);
      if (outcome.kind === 'failed') {
        const { error } = outcome;
        if (isBusy(error)) throw new WeftError('RATE_LIMITED', error.message, { reason: 'capacity' });
        return { output: null, error, logs, duration };
      }
      return {
        output: outcome.kind === 'done' ? (outcome.outputs['out'] ?? null) : null,
        error: null,
        logs,
        duration,
      };
    },

    /**
     * Deletes one version of a custom node, or all of them. @throws {WeftError} NOT_FOUND; CONFLICT when any
     * version of a workflow uses it, or when the node is built in.
     */
    async remove(principal: Principal, id: string, input: unknown): Promise<void> {
      requireScope(principal, 'nodes:write');
      const { version = null } = validate(RemoveNodeQuerySchema, input);
      const { userId } = principal;
      const checkedAt = clock.now() - MAX_CLOCK_SKEW_MS;
      const types = await nodeTypes.of(userId);
      const type = version === null ? types.get(id) : types.get(id, version);
      if (type === undefined) throw createNotFoundError('node');
      const pack = readPackName(type);
      if (pack !== null)
        throw createConflictError(
          `${id} belongs to the pack ${pack}: an administrator can remove the pack.`,
          {
            node: id,
          },
        );
      if (type.category !== 'custom')
        throw createConflictError(`${id} comes with Weft, and stays.`, { node: id });
      const uses = await customNodes.uses(userId, id, version, MAX_USES);
      if (uses.length > 0) throw createInUseError(id, uses);
      const times = { deletedAt: clock.now(), checkedAt };
      const event = describeChange(principal, 'node.deleted', id, version);
      const result = await customNodes.remove(userId, id, version, times, limits.deletedNodeVersions, event);
      if (result === 'missing') throw createNotFoundError('node');
      if (result === 'used')
        throw createInUseError(id, await customNodes.uses(userId, id, version, MAX_USES));
      if (result === 'full')
        throw createConflictError(`At most ${limits.deletedNodeVersions} versions of nodes can be deleted.`, {
          versions: limits.deletedNodeVersions,
        });
    },
  };
}

function createInUseError(id: string, uses: readonly NodeUse[]): WeftError {
  const names = uses.slice(0, 5).map(({ name }) => JSON.stringify(name));
  const more = uses.length > names.length ? ' and more' : '';
  return createConflictError(
    `${id} is in use: ${names.join(', ')}${more} was saved with it. Delete these workflows first; a version that is only in their history counts, too.`,
    {
      workflows: uses.map(({ workflowId, name, versions }) => ({
        id: workflowId,
        name,
        versions: versions.slice(0, 100),
      })),
    },
  );
}

function isBusy({ data }: NodeFailure): boolean {
  return isObject(data) && data['code'] === 'CODE_BUSY';
}

function readNode(given: Static<typeof RegisterNodeSchema>): CustomNode {
  return {
    nodeType: given.nodeType,
    version: given.version ?? '1.0.0',
    description: given.description ?? '',
    ...(given.keywords === undefined ? {} : { keywords: given.keywords }),
    inputs: Object.entries(given.inputs ?? {}).map(([name, one]) => ({
      name,
      type: one.type as CustomType,
      required: one.required ?? false,
      description: one.description ?? '',
      validation: (one.validation ?? null) as JsonObject | null,
    })),
    outputs: Object.entries(given.outputs ?? {}).map(([name, type]) => ({ name, type: type as CustomType })),
    handler: given.implementation.handler,
  };
}

function readPackName({ pack, packTrigger }: NodeType): string | null {
  return pack?.name ?? packTrigger?.pack ?? null;
}
