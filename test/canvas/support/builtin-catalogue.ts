import { presentNode } from '../../../src/api/serializers/node.ts';
import { builtinNodes } from '../../../src/nodes/registry.ts';
import { createCatalogue, type Catalogue, type NodeType } from '../../../web/src/canvas/model/catalogue.ts';

/** What `GET /v1/nodes` gives for the built-in types. */
export const builtinCatalogue: Catalogue = createCatalogue(
  builtinNodes.map((type) => presentNode(type) as unknown as NodeType),
);
