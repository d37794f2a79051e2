/*
 * What a trusted node imports as `weft/node-kit`: an entry of the build, and the one place where names are handed on. What stands
 * here is a promise to files that are not ours; docs/custom-nodes.md describes it.
 */
export { Type } from 'typebox';
export { HttpFailure } from '../contract/node-type.ts';
export type {
  FileReference,
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
export { closed, duration, inputPath, mapOf, oneOfTexts, scalar, tagged } from './schema.ts';
