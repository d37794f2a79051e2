import { check } from '../contract/check.ts';
import { notFound, validationError } from '../contract/errors.ts';
import type { NodeType } from '../contract/node-type.ts';
import type { Principal } from '../contract/principal.ts';
import { NodeQuerySchema } from '../contract/schemas-node.ts';
import type { NodeTypes } from '../ports/node-types.ts';
import { requireScope } from './require.ts';

export type Nodes = ReturnType<typeof createNodes>;

/** The catalogue of node types. */
export function createNodes(types: NodeTypes) {
  return {
    /** The newest version of each type, or every type in exactly the version asked for. By name of the type. */
    list(principal: Principal, input: unknown): NodeType[] {
      requireScope(principal, 'nodes:read');
      const { category, search, version } = check(NodeQuerySchema, input);
      const wanted = search?.toLowerCase() ?? '';
      const all =
        version === undefined ? types.all() : types.all().flatMap((type) => types.versions(type.type));
      return all.filter(
        (type) =>
          (category === undefined || type.category === category) &&
          (version === undefined || type.version === version) &&
          (type.name.toLowerCase().includes(wanted) || type.description.toLowerCase().includes(wanted)),
      );
    },

    get(principal: Principal, id: string): NodeType {
      requireScope(principal, 'nodes:read');
      const type = types.get(id);
      if (type === undefined) throw notFound('node');
      return type;
    },

    /** Newest first. */
    versions(principal: Principal, id: string): readonly NodeType[] {
      requireScope(principal, 'nodes:read');
      const versions = types.versions(id);
      if (versions.length === 0) throw notFound('node');
      return versions.toSorted((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }));
    },

    /** @throws {WeftError} VALIDATION_ERROR always: this version has the built-in node types only. */
    register(principal: Principal): never {
      requireScope(principal, 'nodes:write');
      throw validationError(
        [
          {
            field: 'implementation',
            issue: 'cannot be registered: this version runs the built-in nodes only',
          },
        ],
        'Custom nodes cannot be registered in this version.',
      );
    },
  };
}
