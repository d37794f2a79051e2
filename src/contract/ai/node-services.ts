import type { Json } from '../../lib/json/json.ts';
import type { McpCall, McpResult, McpServer, McpToolList } from './mcp.ts';
import type {
  EmbeddingCall,
  EmbeddingResponse,
  LivePart,
  ModelCall,
  ModelResponse,
  ModelServer,
  ProviderModelList,
} from './models.ts';
import type { ThreadAddress } from './threads.ts';

/** What nodes that call models and MCP servers use while they run. */

export type NodeMcp = {
  /**
   * Lists the tools of an MCP server, from a cache unless `refresh`. @throws {HttpFailure} when there is no
   * list.
   */
  listTools(server: McpServer, options?: { refresh?: boolean }): Promise<McpToolList>;
  /**
   * Calls a tool once. Ends it at the server when the attempt ends or its time is over.
   * @throws {HttpFailure} when there is no result.
   */
  callTool(server: McpServer, call: McpCall): Promise<McpResult>;
};

export type NodeModels = {
  /** Calls a model once. @throws {HttpFailure} when there is no response. */
  generate(server: ModelServer, call: ModelCall): Promise<ModelResponse>;
  /** Computes embeddings of texts, in several calls if necessary. @throws {HttpFailure} */
  embed(server: ModelServer, call: EmbeddingCall): Promise<EmbeddingResponse>;
  /**
   * Lists the models of a provider, from a cache unless `refresh`. @throws {HttpFailure} when there is no
   * list.
   */
  list(server: Omit<ModelServer, 'model'>, options?: { refresh?: boolean }): Promise<ProviderModelList>;
};

export type NodeThreads = {
  /** The messages of the newest turns of a thread that have at most `tokens` together, oldest first. */
  read(thread: ThreadAddress, tokens: number): Promise<Json[]>;
};

export type NodeLiveText = {
  /** Begins a response for callers that follow the execution, in place of one that the attempt has begun. */
  begin(): void;
  /** Sends a piece of a part of it. It is not stored; `streamEvents` has the texts of a completed run. */
  write(part: LivePart, text: string): void;
};
