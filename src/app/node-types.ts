import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { createNodeTypes } from '../nodes/catalog.ts';
import { builtinNodes, olderNodes } from '../nodes/registry.ts';
import { trustedNode } from '../nodes/trusted-node.ts';
import type { NodeTypes } from '../ports/node-types.ts';
import { loadTrustedNodes } from './trusted-nodes.ts';

/** The node types of all users: built-in ones, and the trusted ones of this service. */
export async function loadNodeTypes(
  { nodesDir }: Pick<Config, 'nodesDir'>,
  log: Pick<Logger, 'info'>,
): Promise<NodeTypes> {
  const trusted = nodesDir === null ? [] : await loadTrustedNodes(nodesDir, builtinNodes);
  for (const { file, node } of trusted)
    log.info({ file, type: node.type, version: node.version }, 'trusted node loaded');
  return createNodeTypes([...builtinNodes, ...olderNodes, ...trusted.map(({ node }) => trustedNode(node))]);
}
