import { parseDuration } from '../../lib/time/duration.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { Connection, Definition, Issue, NodeEntry } from '../../contract/definition.ts';
import type { FieldError } from '../../contract/errors.ts';
import type { NodeType, TemplateMode } from '../../contract/node-type.ts';
import { limits } from '../../ports/limits.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import { anyPort, findCycle, errorPort, connect, type Graph, type GraphNode, type Region } from './graph.ts';
import { readRetryPolicy } from './retry-policy.ts';
import { compileConfig } from '../../expressions/compile-config.ts';
import type { SlicedWork } from '../../lib/async/time-slice.ts';

export type BuiltGraph = {
  /** Null when the definition has structural errors or a node of an unknown type. */
  graph: Graph | null;
  /** Every node of a known type, also when `graph` is null. */
  nodes: ReadonlyMap<string, GraphNode>;
  /** Structural errors: the definition cannot be saved. */
  form: FieldError[];
  /** Content errors: a draft may contain them. */
  issues: Issue[];
};

/** A node's id must not contain the characters that paths (`loop[17]/x`) are built from. */
// eslint-disable-next-line no-control-regex -- control characters are among the forbidden ones
const ID_PATTERN = /^[^/[\]\u0000-\u001f]{1,200}$/;

/** Builds the graph of a definition whose shape (fields and their types) is already validated. */
export function buildGraph(definition: Definition, types: NodeTypes): SlicedWork<BuiltGraph> {
  return new GraphBuilder(definition, types).build();
}

/** The configuration may be unchecked: a list may hold any JSON. */
function isListOfText(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

class GraphBuilder {
  readonly form: FieldError[] = [];
  readonly issues: Issue[] = [];
  readonly nodes = new Map<string, GraphNode>();
  readonly ids = new Set<string>();
  readonly known = new Set<string>();
  readonly root: Region = { name: '', owner: null, nodes: [] };
  readonly definition: Definition;
  readonly types: NodeTypes;

  constructor(definition: Definition, types: NodeTypes) {
    this.definition = definition;
    this.types = types;
  }

  *build(): SlicedWork<BuiltGraph> {
    const { nodes, connections } = this.definition;
    if (nodes.length > limits.nodes)
      this.addFormError('definition.nodes', `must have at most ${limits.nodes} nodes`);
    if (connections.length > limits.connections)
      this.addFormError('definition.connections', `must have at most ${limits.connections} connections`);
    if (this.form.length > 0) return { graph: null, nodes: this.nodes, form: this.form, issues: [] };
    for (const [i, entry] of nodes.entries()) {
      yield;
      this.addNode(entry, i);
    }
    for (const node of this.nodes.values()) this.addRegions(node);
    this.placeNodes();
    yield* this.addConnections();
    yield;
    for (const node of this.nodes.values()) this.addConfiguredEdges(node);
    this.orderBodies();
    this.markReferences();
    this.findCycles();
    this.findUnreachable();
    const graph =
      this.form.length === 0 &&
      this.nodes.size === nodes.length &&
      !this.issues.some((i) => i.field === 'type')
        ? { nodes: this.nodes, root: this.root }
        : null;
    return { graph, nodes: this.nodes, form: this.form, issues: this.issues };
  }

  private addFormError(field: string, addIssue: string): void {
    this.form.push({ field, issue: addIssue });
  }

  private issue(node_id: string | null, field: string, issue: string): void {
    this.issues.push({ node_id, field, issue });
  }

  private addNode(entry: NodeEntry, i: number): void {
    const at = `definition.nodes[${i}]`;
    if (!ID_PATTERN.test(entry.id))
      return this.addFormError(
        `${at}.id`,
        'must be 1 to 200 characters without "/", "[", "]" and control characters',
      );
    if (this.ids.has(entry.id)) return this.addFormError(`${at}.id`, `is used twice: "${entry.id}"`);
    this.ids.add(entry.id);
    const type = this.types.get(entry.type, entry.version);
    if (type === undefined) {
      const known = entry.version === undefined ? undefined : this.types.get(entry.type);
      const field = known === undefined ? 'type' : 'version';
      this.issue(
        entry.id,
        field,
        known === undefined
          ? `is not a known node type: "${entry.type}"`
          : `is not a known version of ${entry.type}`,
      );
      if (known === undefined) return;
      return void this.nodes.set(entry.id, this.makeNode(entry, known));
    }
    this.nodes.set(entry.id, this.makeNode(entry, type));
  }

  private makeNode(entry: NodeEntry, type: NodeType): GraphNode {
    const config: JsonObject = entry.config ?? {};
    const timeout = typeof config['timeout'] === 'string' ? parseDuration(config['timeout']) : null;
    return {
      id: entry.id,
      entry,
      type,
      config,
      compiled: compileConfig(config, { skip: templateModes(type) }),
      retry: readRetryPolicy(config['retryPolicy']),
      timeout:
        type.isTrigger || type.keepsTime === true
          ? null
          : (timeout ?? type.timeoutFor?.(config) ?? type.timeout),
      out: [],
      in: [],
      region: this.root,
      index: -1,
      regions: null,
      isReferenced: false,
    };
  }

  /**
   * Reads a declaration from an unchecked configuration. The schema check reports its errors, so they are
   * ignored here.
   */
  private readDeclaration<T>(read: () => T | undefined): T | null {
    try {
      return read() ?? null;
    } catch {
      return null;
    }
  }

  private addRegions(node: GraphNode): void {
    const declared = this.readDeclaration(() => node.type.regions?.(node.config));
    if (declared === null) return;
    node.regions = new Map();
    for (const { name, nodes, field } of declared) {
      // Duplicate names and values that are no list of names are reported by the node type's own check.
      if (node.regions.has(name) || !isListOfText(nodes)) continue;
      const region: Region = { name, owner: node, nodes: [] };
      node.regions.set(name, region);
      for (const [i, id] of nodes.entries()) {
        const at = field === undefined ? 'config' : `config.${field}[${i}]`;
        const member = this.nodes.get(id);
        if (member === undefined) {
          if (!this.ids.has(id)) this.issue(node.id, at, `refers to an unknown node: "${id}"`);
        } else if (member.region !== this.root) {
          this.issue(node.id, at, `"${id}" already belongs to the body of "${member.region.owner!.id}"`);
        } else if (member.type.isTrigger) {
          this.issue(node.id, at, `"${id}" is a trigger and cannot be in a body`);
        } else {
          member.region = region;
          member.index = region.nodes.push(member) - 1;
        }
      }
    }
  }

  private placeNodes(): void {
    for (const node of this.nodes.values())
      if (node.region === this.root) node.index = this.root.nodes.push(node) - 1;
    // A node inside its own body is not reachable from the root, so walk down from there.
    const depths = new Map(this.root.nodes.map((node) => [node, 0]));
    for (const [node, depth] of depths) {
      const members = [...(node.regions?.values() ?? [])].flatMap((region) => region.nodes);
      for (const member of members) depths.set(member, depth + 1);
      if (depth === limits.nestedBodies && members.length > 0)
        this.issue(node.id, 'config', `has a body that is nested more than ${depth} levels deep`);
    }
    for (const node of this.nodes.values())
      if (!depths.has(node)) this.addFormError('definition.nodes', `"${node.id}" is in its own body`);
  }

  private *addConnections(): SlicedWork<void> {
    for (const [i, connection] of this.definition.connections.entries()) {
      yield;
      this.addConnection(connection, i);
    }
  }

  private addConnection(connection: Connection, i: number): void {
    const at = `definition.connections[${i}]`;
    for (const end of ['from', 'to'] as const)
      if (!this.ids.has(connection[end]))
        this.addFormError(`${at}.${end}`, `is not a node of this workflow: "${connection[end]}"`);
    const from = this.nodes.get(connection.from);
    const to = this.nodes.get(connection.to);
    if (from === undefined || to === undefined) return;
    const port = connection.sourcePort ?? from.type.outputs[0]?.name;
    const toPort = connection.targetPort ?? to.type.inputs[0]?.name;
    const outputs = this.listOutputs(from);
    if (port === undefined || !outputs.includes(port))
      return this.addFormError(
        `${at}.sourcePort`,
        `${from.type.type} has no such output; it has ${outputs.join(', ')}`,
      );
    if (to.type.isTrigger)
      return this.addFormError(`${at}.to`, `"${to.id}" is a trigger: nothing can be connected to it`);
    const inputs = [...to.type.inputs, ...(to.type.fields?.inputs ?? [])];
    if (toPort === undefined || !inputs.some((p) => p.name === toPort))
      return this.addFormError(
        `${at}.targetPort`,
        `${to.type.type} has no such input; it has ${inputs.map((p) => p.name).join(', ')}`,
      );
    if (from.region !== to.region)
      return this.addFormError(at, `connects "${from.id}" and "${to.id}", which are not in the same body`);
    if (from === to) return this.addFormError(at, `is a cycle: "${from.id}" is connected to itself`);
    connect(from, port, to, toPort, this.known);
  }

  private listOutputs(node: GraphNode): string[] {
    const dynamic = this.readDeclaration(() => node.type.dynamicOutputs?.(node.config)) ?? [];
    const fields = node.type.fields?.outputs ?? [];
    const names = [...node.type.outputs, ...dynamic, ...fields].map((p) => p.name);
    return node.type.isTrigger ? names : [...names, errorPort];
  }

  private addConfiguredEdges(node: GraphNode): void {
    for (const { port, to: id, field } of this.readDeclaration(() => node.type.edges?.(node.config)) ?? []) {
      const at = field === undefined ? 'config' : `config.${field}`;
      const to = this.nodes.get(id);
      if (to === undefined) {
        if (!this.ids.has(id)) this.issue(node.id, at, `refers to an unknown node: "${id}"`);
      } else if (to === node)
        this.addFormError('definition.nodes', `is a cycle: "${node.id}" names itself as the next node`);
      else if (to.type.isTrigger) this.issue(node.id, at, `"${id}" is a trigger: nothing can lead to it`);
      else if (to.region !== node.region) this.issue(node.id, at, `"${id}" is not in the same body`);
      else connect(node, port, to, to.type.inputs[0]?.name ?? 'in', this.known);
    }
  }

  /** The nodes of a body run in their listed order unless connections among them define another. */
  private orderBodies(): void {
    for (const node of this.nodes.values())
      for (const { nodes } of node.regions?.values() ?? []) {
        if (nodes.some((n) => n.in.length > 0)) continue;
        for (let i = 1; i < nodes.length; i++)
          connect(nodes[i - 1]!, anyPort, nodes[i]!, nodes[i]!.type.inputs[0]?.name ?? 'in', this.known);
      }
  }

  private markReferences(): void {
    for (const node of this.nodes.values())
      for (const { id, pointer } of node.compiled.nodeUses) {
        const other = this.nodes.get(id);
        if (other !== undefined) other.isReferenced = true;
        else if (!this.ids.has(id))
          this.issue(node.id, `config.${pointer}`, `reads the output of an unknown node: "${id}"`);
      }
  }

  private findCycles(): void {
    const regions = [this.root, ...[...this.nodes.values()].flatMap((n) => [...(n.regions?.values() ?? [])])];
    for (const region of regions) {
      const cycle = findCycle(region);
      if (cycle.length > 0)
        this.addFormError(
          'definition.connections',
          `form a cycle: ${[...cycle, cycle[0]!].map((n) => n.id).join(' → ')}`,
        );
    }
  }

  private findUnreachable(): void {
    const triggers = this.root.nodes.filter((n) => n.type.isTrigger);
    if (triggers.length === 0) return;
    const seen = new Set(triggers);
    for (const node of seen) for (const edge of node.out) seen.add(edge.to);
    for (const node of this.root.nodes)
      if (!seen.has(node)) this.issue(node.id, 'connections', 'is not reachable from any trigger');
  }
}

/**
 * Returns a lookup by pointer (`operations[0].transform`). In the type's table, `*` matches any key or index.
 */
function templateModes(type: NodeType): (pointer: string) => TemplateMode | undefined {
  const { templates } = type;
  if (templates === undefined) return () => undefined;
  return (pointer) => templates[pointer.replace(/\[\d+\]/g, '.*')];
}
