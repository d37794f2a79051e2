import type { McpContent, McpResult } from '../../contract/ai/mcp.ts';
import { parseUpstreamJson } from '../../contract/json-input.ts';
import type { FileReference } from '../../contract/byte-source.ts';
import type { NodeContext } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { truncateText } from '../../lib/text/truncate.ts';

const MAX_MESSAGE_LENGTH = 4_000;

/** The texts of a result, in order. */
function joinTexts(content: readonly McpContent[]): string {
  return content.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

/** The error message of a failed tool. */
export function describeToolError(tool: string, { content, structuredContent }: McpResult): string {
  const text = joinTexts(content).trim();
  if (text !== '') return truncateText(text, MAX_MESSAGE_LENGTH);
  return structuredContent === null
    ? `${tool} failed and gave no reason`
    : truncateText(JSON.stringify(structuredContent), MAX_MESSAGE_LENGTH);
}

/**
 * The output of the node. `result`: the structured content, otherwise the text, parsed if it is JSON; null
 * when there is neither. Images, audio and embedded resources are saved as files of the execution.
 */
export async function saveResult(
  ctx: NodeContext,
  { content, structuredContent }: McpResult,
): Promise<JsonObject> {
  const files: FileReference[] = [];
  for (const part of content) {
    if (part.kind !== 'file') continue;
    const { contentType, data, uri } = part;
    files.push(
      await ctx.files.save({
        name: nameFile(uri, contentType, files.length + 1),
        contentType,
        bytes: data,
      }),
    );
  }
  return {
    result: structuredContent ?? readText(content),
    files: files as unknown as Json[],
    links: content.flatMap((part) =>
      part.kind === 'link'
        ? [
            {
              uri: part.uri,
              name: part.name,
              description: part.description,
              content_type: part.contentType,
            },
          ]
        : [],
    ),
  };
}

function readText(content: readonly McpContent[]): Json {
  if (!content.some(({ kind }) => kind === 'text')) return null;
  const text = joinTexts(content);
  const value = parseUpstreamJson(text);
  return value === undefined ? text : value;
}

/** The last part of the URI of a resource, or a name such as `image-1.png`. */
function nameFile(uri: string | null, contentType: string, number: number): string {
  const [kind = '', subtype = ''] = contentType.split(/[/;]/);
  const extension = /^[\w-]+/.exec(subtype.replace(/^x-/, ''))?.[0] ?? '';
  const given = uri === null ? '' : (uri.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? '');
  const name = given === '' ? `${kind === 'image' || kind === 'audio' ? kind : 'file'}-${number}` : given;
  return name.includes('.') || extension === '' || uri !== null ? name : `${name}.${extension}`;
}
