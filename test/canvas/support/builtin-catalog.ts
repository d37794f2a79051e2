import { presentNode } from '../../../src/api/serializers/node.ts';
import { builtinNodes } from '../../../src/nodes/registry.ts';
import { createCatalog, type Catalog, type NodeType } from '../../../web/src/canvas/model/catalog.ts';

/** What `GET /v1/nodes` gives for the built-in types. */
export const builtinCatalog: Catalog = createCatalog(
  builtinNodes.map((type) => presentNode(type) as unknown as NodeType),
);
