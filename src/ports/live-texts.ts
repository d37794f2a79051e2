/** A piece of a text that a node run writes. `offset` is where it begins, in UTF-16 code units. */
export type LiveText = {
  readonly path: string;
  /** The text from its beginning. A node run that begins anew writes another text. */
  readonly textId: string;
  readonly offset: number;
  readonly text: string;
};

export type LiveTextWriter = {
  /** Begins a new text. */
  begin(): void;
  write(text: string): void;
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
