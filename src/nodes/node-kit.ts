/*
 * Entry point `weft/node-kit` for trusted nodes, and the only file that re-exports names. These exports are a
 * public API, documented in docs/custom-nodes.md.
 */
export { Type } from 'typebox';
export { HttpFailure } from '../contract/node-type.ts';
export type { FileReference } from '../contract/byte-source.ts';
export type {
  HttpRequest,
  HttpResponse,
  InputPort,
  NodeContext,
  NodeExample,
  NodeFailure,
  NodeType,
  Outcome,
  OutputPort,
} from '../contract/node-type.ts';
export type { Json, JsonObject } from '../lib/json/json.ts';
export { defineNode } from './define-node.ts';
export { done, invalid } from './outcome.ts';
export { output, sameAsInput, schemaOfField } from './output-schema.ts';
export { ui } from './ui-hints.ts';
export type { UiHints } from './ui-hints.ts';
export { closed, duration, inputPath, mapOf, oneOfTexts, scalar, tagged } from './schema.ts';
