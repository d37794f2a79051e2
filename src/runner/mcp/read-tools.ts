import type { ListToolsResult } from '@modelcontextprotocol/sdk/types.js';
import type { McpTool } from '../../contract/ai/mcp.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { truncateText } from '../../lib/text/truncate.ts';
import { DocumentError } from '../openapi/document.ts';
import { FormSchemas } from '../openapi/form-schema.ts';
import { References } from '../openapi/references.ts';

const MAX_DESCRIPTION_LENGTH = 4_000;
const MAX_TITLE_LENGTH = 200;

/** Converts a tool as its server describes it. */
export function readTool(tool: ListToolsResult['tools'][number]): McpTool {
  const { name, annotations = {}, outputSchema } = tool;
  return {
    name,
    title: truncateText(tool.title ?? annotations.title ?? name, MAX_TITLE_LENGTH),
    description: truncateText((tool.description ?? '').trim(), MAX_DESCRIPTION_LENGTH),
    inputSchema: readSchema(tool.inputSchema as JsonObject, 'request'),
    outputSchema: outputSchema === undefined ? null : readSchema(outputSchema as JsonObject, 'response'),
    isReadOnly: annotations.readOnlyHint === true,
    isIdempotent: annotations.idempotentHint === true,
    isDestructive: annotations.readOnlyHint !== true && annotations.destructiveHint !== false,
    needsTask: tool.execution?.taskSupport === 'required',
  };
}

/** The schema of an object that forms and the validator of configurations accept, without references. */
function readSchema(schema: JsonObject, purpose: 'request' | 'response'): JsonObject {
  try {
    const made = new FormSchemas(new References(schema), () => {}).read(schema, purpose, '');
    return made['type'] === 'object' ? made : { ...readAnnotations(made), type: 'object' };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    // It refers to another document, which is never fetched.
    return { type: 'object' };
  }
}

function readAnnotations(schema: JsonObject): JsonObject {
  const description: Json | undefined = schema['description'];
  return isObject(schema) && description !== undefined ? { description } : {};
}
