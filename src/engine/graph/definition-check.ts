import type { JsonObject } from '../../lib/json/json.ts';
import type { Definition, Issue } from '../../contract/definition.ts';
import type { FieldError } from '../../contract/errors.ts';
import type { NodeType } from '../../contract/node-type.ts';
import { findSecretReadIssue } from '../../contract/secret-fields.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import { buildGraph } from './graph-builder.ts';
import type { SlicedWork } from '../../lib/async/time-slice.ts';
import { findRetryPolicyIssue } from './retry-policy.ts';

export type Reference = {
  kind: 'secret' | 'connection' | 'workflow';
  nodeId: string;
  field: string;
  name: string;
};

export type DefinitionCheck = {
  /** Errors that prevent saving. Fields start with `definition.`. */
  form: FieldError[];
  /** Errors that a draft may contain, but that prevent running. */
  issues: Issue[];
  /** Resources of the owner that nodes refer to by name; the caller checks that they exist. */
  references: Reference[];
  /** The code in configurations, which must compile. */
  sources: { nodeId: string; field: string; source: string }[];
};

/**
 * Checks a definition whose shape is already validated. `checkConfig` validates the configuration of one
 * node.
 */
export function* checkDefinition(
  definition: Definition,
  types: NodeTypes,
  checkConfig: (type: NodeType, config: JsonObject) => FieldError[],
): SlicedWork<DefinitionCheck> {
  const { form, issues, nodes } = yield* buildGraph(definition, types);
  const references: Reference[] = [];
  const sources: DefinitionCheck['sources'] = [];
  if (definition.nodes.length === 0)
    issues.push({ node_id: null, field: 'definition.nodes', issue: 'must have at least one node to run' });
  for (const entry of definition.nodes) {
    const type = types.get(entry.type, entry.version);
    if (type === undefined) continue;
    yield;
    const config = entry.config ?? {};
    const configErrors = checkConfig(type, config);
    for (const { field, issue } of configErrors)
      issues.push({ node_id: entry.id, field: field === '' ? 'config' : `config.${field}`, issue });
    for (const { field, source } of type.sources?.(config) ?? [])
      if (!configErrors.some((error) => error.field === field))
        sources.push({ nodeId: entry.id, field: `config.${field}`, source });
    const refer = (kind: Reference['kind'], field: string, name: string) =>
      references.push({ kind, nodeId: entry.id, field: `config.${field}`, name });
    for (const { field, name } of type.connections?.(config) ?? []) refer('connection', field, name);
    for (const { field, name } of type.workflows?.(config) ?? []) refer('workflow', field, name);
    const node = nodes.get(entry.id);
    if (node === undefined) continue;
    for (const { pointer, message } of node.compiled.errors)
      issues.push({ node_id: entry.id, field: `config.${pointer}`, issue: message });
    if (node.regions !== null && config['retryPolicy'] !== undefined)
      issues.push({
        node_id: entry.id,
        field: 'config.retryPolicy',
        issue: 'is not supported on a node with a body; set it on the nodes of the body',
      });
    const retryIssue = findRetryPolicyIssue(config['retryPolicy']);
    if (retryIssue !== null)
      issues.push({ node_id: entry.id, field: 'config.retryPolicy.initialDelay', issue: retryIssue });
    for (const { pointer, name } of node.compiled.secretReads) {
      const issue = findSecretReadIssue(type, pointer);
      if (issue !== null) issues.push({ node_id: entry.id, field: `config.${pointer}`, issue });
      refer('secret', pointer, name);
    }
    if (type.isTrigger)
      for (const field of ['secret', 'verifySecret']) {
        const name = config[field];
        if (typeof name === 'string') refer('secret', field, name);
      }
  }
  return { form, issues, references, sources };
}
