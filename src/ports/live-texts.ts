import type { LivePart } from '../contract/ai/models.ts';

/** A piece of a text that a node run writes. `offset` is where it begins, in UTF-16 code units. */
export type LiveText = {
  /** The path of the node run, and the part of its response: see `formatTextPath`. */
  readonly path: string;
  /** The text from its beginning. A node run that begins anew writes another text. */
  readonly textId: string;
  readonly offset: number;
  readonly text: string;
};

export type LiveTextWriter = {
  /** Begins new texts. */
  begin(): void;
  write(part: LivePart, text: string): void;
  close(): void;
};

/**
 * Texts that node runs write before they complete. They are in memory only and pieces can be lost; the
 * journal has the text of a completed run.
 */
export type LiveTexts = {
  open(executionId: string, path: string): LiveTextWriter;
  /** Calls `receive` with the texts of an execution as far as they are written, then with each new piece. */
  follow(executionId: string, receive: (piece: LiveText) => void): () => void;
};

/** Follows the path of a node run. Ids of nodes have no slash. */
const SEPARATOR = '//';
const REASONING = 'reasoning';

/**
 * The path of a text. That of a node run stands for the text of the response itself, as processes of earlier
 * versions expect it.
 */
export function formatTextPath(path: string, part: LivePart): string {
  if (part.kind === 'text') return path;
  if (part.kind === 'reasoning') return `${path}${SEPARATOR}${REASONING}`;
  return `${path}${SEPARATOR}${encode(part.callId)}/${encode(part.tool)}`;
}

/** The path of a node run and the part of its response, from the path of a text. */
export function parseTextPath(textPath: string): { path: string; part: LivePart } {
  const [path = '', part] = textPath.split(SEPARATOR);
  if (part === undefined) return { path, part: { kind: 'text' } };
  const [callId = '', tool] = part.split('/');
  if (tool === undefined) return { path, part: { kind: 'reasoning' } };
  return { path, part: { kind: 'tool_arguments', callId: decode(callId), tool: decode(tool) } };
}

/** A name from a model can contain half of a surrogate pair. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
