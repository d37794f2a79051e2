import type { JsonObject } from '../../lib/json/json.ts';

/** What authenticates requests to a server: headers, with names in lower case, and query parameters. */
export type McpProof = {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
};

/** An MCP server over streamable HTTP. */
export type McpServer = {
  readonly url: string;
  readonly credentials: {
    /** Synchronous if nothing has to be loaded or requested. */
    proof(): McpProof | Promise<McpProof>;
    /** Called after a 401. Resolves to true if `proof` now returns something else. */
    renew(): Promise<boolean>;
  };
  /** Whether the configuration states how to authenticate. */
  readonly isAuthenticated: boolean;
  /** The URL of a proxy. */
  readonly proxy?: string;
  /** ms, for everything that one call or one list needs. */
  readonly timeout: number;
};

/**
 * A tool of a server. Its schemas have only keywords that forms and the validator of configurations accept;
 * `outputSchema` is null when the server states none.
 */
export type McpTool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | null;
  /** What the server states about the effects of a call. */
  readonly isReadOnly: boolean;
  readonly isIdempotent: boolean;
  readonly isDestructive: boolean;
  /** Whether it can only run as a task, which this client does not support. */
  readonly needsTask: boolean;
};

export type McpToolList = {
  readonly server: { readonly name: string; readonly title: string; readonly version: string };
  /** The negotiated version of the protocol. */
  readonly protocolVersion: string;
  readonly tools: readonly McpTool[];
  /** Epoch ms. */
  readonly listedAt: number;
};

export type McpCall = { readonly tool: string; readonly arguments: JsonObject };

/** A part of a result. `data` is binary; `uri` names a resource. */
export type McpContent =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'file';
      readonly contentType: string;
      readonly data: Uint8Array;
      readonly uri: string | null;
    }
  | {
      readonly kind: 'link';
      readonly uri: string;
      readonly name: string;
      readonly description: string | null;
      readonly contentType: string | null;
    };

/** `isError`: the tool states that it failed, in the text of `content`. */
export type McpResult = {
  readonly content: readonly McpContent[];
  readonly structuredContent: JsonObject | null;
  readonly isError: boolean;
};
