import type { StreamedEvent } from '../executions/streams/streamed-event.ts';

/** A turn of an agent: `agent[2]/chat`. Its tools have paths such as `agent[2.1]/find`. */
const TURN = /^([^[/]+)\[\d+\]\/[^[/]+$/;
/** Between the texts of two turns of an agent. */
const SEPARATOR = '\n\n';

/** Whether an event is a piece of the text of a response, or begins that text anew. */
export function isTextEvent(
  event: StreamedEvent['event'],
): event is Extract<StreamedEvent['event'], { type: 'text' | 'reset' }> {
  return event.type === 'text' || (event.type === 'reset' && event.of === 'text');
}

/** The text of a response while models write it. A client cannot take back what it has received. */
export class ChatText {
  readonly #finalNodes: ReadonlyMap<string, string>;
  readonly #send: (text: string) => void;
  #path: string | null = null;
  /** What was sent of the current node run. */
  #sent = '';
  /** What its current attempt wrote. */
  #written = '';

  constructor(finalNodes: ReadonlyMap<string, string>, send: (text: string) => void) {
    this.#finalNodes = finalNodes;
    this.#send = send;
  }

  /** Returns false if what was sent is not part of the response, so that the stream cannot continue. */
  receive({ node, event }: StreamedEvent): boolean {
    if (node === null || !isFinalText(this.#finalNodes, node.path)) return true;
    if (!isTextEvent(event)) return true;
    if (node.path !== this.#path) {
      if (this.#sent !== '') this.#send(SEPARATOR);
      this.#path = node.path;
      this.#sent = '';
      this.#written = '';
    }
    if (event.type === 'reset') {
      this.#written = '';
      return true;
    }
    this.#written += event.text;
    // Another attempt may write the same text again.
    if (this.#written.length <= this.#sent.length) return this.#sent.startsWith(this.#written);
    if (!this.#written.startsWith(this.#sent)) return false;
    this.#send(this.#written.slice(this.#sent.length));
    this.#sent = this.#written;
    return true;
  }

  /**
   * Sends what is missing of the text of the response. Returns false if it is another text than what was
   * sent.
   */
  complete(text: string): boolean {
    if (text === '') return true;
    if (!text.startsWith(this.#sent)) return false;
    const rest = text.slice(this.#sent.length);
    if (rest !== '') this.#send(rest);
    return true;
  }
}

/** Whether the texts of a node run are part of the response. */
export function isFinalText(finalNodes: ReadonlyMap<string, string>, path: string): boolean {
  const agent = TURN.exec(path)?.[1];
  return agent === undefined ? finalNodes.has(path) : finalNodes.get(agent) === 'agent';
}
