import { UPSTREAM_JSON } from '../contract/json-input.ts';

/** All limits of the service. Each is tested at the limit and one above it, and named in its error. */
export const limits = {
  /** Nodes of one definition. */
  nodes: 10_000,
  connections: 40_000,
  /** Levels of nested bodies: the path of a node run names each of them. */
  nestedBodies: 100,
  /**
   * Limits of JSON, checked before it is parsed: values, nesting depth, distinct names. `json` applies to
   * request bodies and to webhooks without authentication, `verifiedWebhookJson` to other webhooks,
   * `upstreamJson` to responses of other services.
   */
  json: { values: 250_000, depth: 64, names: 10_000 },
  verifiedWebhookJson: { values: 1_500_000, depth: 64, names: 100_000 },
  upstreamJson: UPSTREAM_JSON,
  /** Bytes of the body of an unauthenticated route. */
  publicBodyBytes: 16 * 1024,
  /** Bytes of a request body and of a webhook body. */
  requestBodyBytes: 5 * 1024 * 1024,
  webhookBodyBytes: 16 * 1024 * 1024,
  /**
   * Bytes of a webhook body whose raw bytes the trigger requests: they are kept in addition to the parsed
   * body.
   */
  webhookRawBodyBytes: 4 * 1024 * 1024,
  /**
   * Parts of a multipart webhook body; file parts among them; bytes of one part's headers; characters of its
   * name.
   */
  webhookParts: 1_000,
  webhookFiles: 100,
  webhookPartHeaderBytes: 8 * 1024,
  webhookFieldNameChars: 200,
  /** First segments of webhook endpoints that one workflow may reserve. */
  webhookSegments: 1_000,
  /** Bytes, as JSON, of the input or output of a node or an execution. */
  nodeOutputBytes: 64 * 1024 * 1024,
  /** Nesting depth of such a value, so that code that reads JSON recursively does not overflow the stack. */
  valueDepth: 200,
  /** Values of this many bytes or more are stored as separate files. */
  inlineValueBytes: 256 * 1024,
  /** Pinned outputs of one workflow, and their bytes as JSON together. */
  pinnedOutputs: 100,
  pinnedOutputBytes: 8 * 1024 * 1024,
  /** Intervals of one response with statistics: two years of days, or a month of hours. */
  statisticsIntervals: 750,
  /**
   * Events of a journal after which the state is stored as a snapshot, so that waking the execution replays
   * only later ones; and characters of a snapshot.
   */
  snapshotEvents: 2_000,
  snapshotBytes: 32 * 1024 * 1024,
  /** Node runs whose results a retry keeps, and of an execution that is in memory as a whole for a retry. */
  keptNodeRuns: 100_000,
  inspectedNodeRuns: 500_000,
  /** Node runs of one execution. */
  steps: 10_000_000,
  /** Bytes of journals that are read for one response about several executions. */
  journalReadBytes: 32 * 1024 * 1024,
  /** Bytes of the values of several resources (node runs, definitions) in one response. */
  valueReadBytes: 32 * 1024 * 1024,
  /** Bytes of an execution with its first node runs, from which those of bodies are only in pages. */
  detailBytes: 4 * 1024 * 1024,
  logEntriesPerNodeRun: 1_000,
  logMessageChars: 10_000,
  /** Executions that run at once in one process; more stay queued on disk. */
  activeExecutions: 2_000,
  /** Executions that may wait in the queue before new ones are refused with 429. */
  queuedExecutions: 100_000,
  /**
   * Bytes, as JSON, of the values that all executions keep in memory. Above it, more executions stay queued
   * on disk and large responses wait. One execution may keep half of it before its next node fails. Less in a
   * process with a small heap.
   */
  liveValueBytes: 512 * 1024 * 1024,
  /** Bytes of one execution that may wait for the disk before its nodes without effects wait too. */
  speculativeBytes: 16 * 1024 * 1024,
  /** Bytes that may wait for the disk before new executions are refused with 429. */
  pendingBytes: 256 * 1024 * 1024,
  /** Crashes in which a node run was the only running suspect, before it fails as `interrupted`. */
  crashesAsOnlySuspect: 3,
  /** Suspects of a crash that may be on probation at the same time in one process. */
  concurrentSuspects: 64,
  /**
   * Probation (ms) of a suspect without a completed attempt: after the first crash, and the maximum after
   * many crashes.
   */
  probationMs: 1_000,
  maxProbationMs: 30_000,
  /** Uptime (ms) of a process before it runs an execution that was alone in a crash. */
  steadyAfterMs: 10_000,
  /** Bytes of a mail's texts and attachments together, before encoding; recipients; attachments. */
  mailBytes: 25 * 1024 * 1024,
  mailRecipients: 100,
  mailAttachments: 100,
  /** Bytes of a received message, encoded; a larger one is read without its texts and attachments. */
  mailMessageBytes: 36 * 1024 * 1024,
  /**
   * Rows and bytes of the result of a SQL node; connections to one database from one process; idle
   * connections.
   */
  sqlRows: 100_000,
  sqlBytes: 32 * 1024 * 1024,
  sqlConnections: 10,
  idleSqlConnections: 100,
  /** Connected accounts of one owner, and configurations for which rotated refresh tokens are kept. */
  connectedAccounts: 200,
  tokenSlots: 100,
  /** Processes that run user code, and calls that may wait for one. */
  codeProcesses: 4,
  codeQueue: 100_000,
  /** Bytes, as JSON, of the input and output of a call of user code. */
  codeInputBytes: 16 * 1024 * 1024,
  codeOutputBytes: 16 * 1024 * 1024,
  /** MB of the heap of user code, and of the whole process that runs it. */
  codeHeapMb: 128,
  codeProcessMb: 400,
  /**
   * Documents that nodes read or create in a separate process: bytes of the document and of the result, ms,
   * processes at once, and documents that may wait.
   */
  documentBytes: 128 * 1024 * 1024,
  documentResultBytes: 64 * 1024 * 1024,
  documentTimeMs: 120_000,
  documentProcesses: 2,
  documentQueue: 10_000,
  /** Versions of custom nodes per owner, and their total bytes. */
  customNodeVersions: 500,
  /** Deleted versions per owner. Each is recorded, so that a version never returns with other content. */
  deletedNodeVersions: 10_000,
  customNodeBytes: 16 * 1024 * 1024,
  /**
   * Packages of one version of a custom node: bytes of one archive and of all; files and bytes in them; ms
   * for the download; characters of the bundle, and ms for bundling.
   */
  packageArchiveBytes: 8 * 1024 * 1024,
  packageArchivesBytes: 24 * 1024 * 1024,
  packageFiles: 10_000,
  packageBytes: 32 * 1024 * 1024,
  packageFetchMs: 60_000,
  bundleChars: 2 * 1024 * 1024,
  bundlingMs: 30_000,
  /** Registrations with packages that may wait while another one is bundled. */
  bundlingQueue: 16,
  /**
   * An OpenAPI document: bytes, ms for reading it, bytes of the manifest, and documents that may wait while
   * another one is read.
   */
  openApiDocumentBytes: 32 * 1024 * 1024,
  openApiReadingMs: 30_000,
  openApiManifestBytes: 16 * 1024 * 1024,
  openApiQueue: 16,
  /**
   * Bytes of a request body with a document; ms to load a document from its URL; versions of packs in the
   * service, and bytes of their compressed text together; characters of manifests kept in memory.
   */
  packBodyBytes: 40 * 1024 * 1024,
  packFetchMs: 60_000,
  packVersions: 500,
  packBytes: 128 * 1024 * 1024,
  packManifestChars: 32 * 1024 * 1024,
  /**
   * MCP servers: tools of one server, and characters of their list; bytes of one response.
   */
  mcpTools: 1_000,
  mcpToolChars: 4 * 1024 * 1024,
  mcpResponseBytes: 64 * 1024 * 1024,
  /** Requests to the MCP server that are open: per process and per user. Tools of one page of the list. */
  mcpRequests: 2_000,
  mcpRequestsPerUser: 500,
  mcpToolPage: 200,
  /** Chat completions that are open: per process and per user. Models of one page of the list. */
  chats: 2_000,
  chatsPerUser: 500,
  chatModelPage: 1_000,
  /** Bytes of a model's response. */
  modelResponseBytes: 32 * 1024 * 1024,
  /** The list of a provider's models: models, and characters of its pages. */
  providerModels: 5_000,
  providerModelChars: 8 * 1024 * 1024,
  /**
   * Bytes of a request that a trigger of a pack receives, and requests of one trigger that wait to be
   * processed.
   */
  packRequestBytes: 4 * 1024 * 1024,
  packRequests: 1_000,
  /**
   * A request with the events of an app: bytes; requests that are read at once, and ms for one; bytes of what
   * the pack returns; triggers that store it in one transaction.
   */
  packAppRequestBytes: 1024 * 1024,
  packAppRequests: 64,
  packAppRequestMs: 10_000,
  packReplyBytes: 256 * 1024,
  packListenersAtOnce: 20,
  /**
   * A pack from npm: files in its archive; characters of its code; ms to load and list it; processes that run
   * packs at once, and calls that may wait for one.
   */
  packFiles: 1_000,
  packSourceChars: 8 * 1024 * 1024,
  packListingMs: 30_000,
  packProcesses: 4,
  packQueue: 1_000,
  /**
   * Choices that a pack loads for a field: how many, and bytes of JSON; ms of one load; loads of one owner at
   * once; loads that are kept, and their characters together.
   */
  packChoices: 5_000,
  packChoiceBytes: 2 * 1024 * 1024,
  packChoiceTimeMs: 20_000,
  packChoiceLoads: 8,
  packChoiceLists: 200,
  packChoiceChars: 16 * 1024 * 1024,
  /** ms after which an idle process for user code is stopped. */
  codeIdleMs: 60_000,
  /** Characters of one path parameter. */
  pathParameterChars: 2_000,
  /**
   * Keys that a polling trigger remembers (10 % more before the oldest are removed), items and bytes of one
   * response, and concurrent polls.
   */
  polledKeys: 10_000,
  polledItems: 10_000,
  pollBytes: 16 * 1024 * 1024,
  concurrentPolls: 50,
  /** Depth of executions that start each other. */
  depth: 32,
  /** Executions that start when one ends. */
  completionTriggers: 1_000,
  /** Length (ms) of a time slice: the engine then lets other executions run. */
  timeSliceMs: 8,
  /** Open WebSockets: per process, per user, and without authentication per process and per IP address. */
  sockets: 8_000,
  socketsPerUser: 2_000,
  unauthenticatedSockets: 1_000,
  unauthenticatedSocketsPerAddress: 200,
  /** Streams of server-sent events: per process and per user. */
  streams: 2_000,
  streamsPerUser: 500,
  /** Bytes of one message from a WebSocket client, and of messages that may wait for one client. */
  socketMessageBytes: 64 * 1024,
  socketBufferBytes: 1024 * 1024,
  /** Filters of one WebSocket. */
  subscriptionFilters: 100,
  /** Messages that a WebSocket client may send in a burst, and per second on average. */
  socketBurst: 200,
  socketRate: 50,
  /** Versions of templates per owner, and bytes of one. */
  templates: 1_000,
  templateBytes: 1024 * 1024,
  /** Open test URLs of webhooks: per process and per owner. */
  listeners: 1_000,
  listenersPerOwner: 50,
  /**
   * Limits of one GraphQL document, checked before it is executed: bytes of the request, tokens, nested
   * brackets, …
   */
  graphqlBodyBytes: 256 * 1024,
  graphqlTokens: 10_000,
  graphqlNesting: 64,
  graphqlFields: 1_000,
  graphqlDepth: 12,
  graphqlAliases: 30,
  graphqlRootFields: 20,
  graphqlDirectives: 50,
  /** Cost of one operation with its variables; docs/graphql.md describes how it is computed. */
  graphqlCost: 1_000,
  /**
   * Bytes of a GraphQL response: enough for the largest output, and below the maximum string length if all is
   * escaped.
   */
  graphqlResponseBytes: 80 * 1024 * 1024,
  /** ms of one operation, without the waits that it requests. */
  graphqlTimeMs: 5_000,
  /** Cached documents, and their total characters. */
  graphqlDocuments: 500,
  graphqlDocumentChars: 4 * 1024 * 1024,
  /** Errors in one response. */
  graphqlErrors: 20,
  /** Concurrent subscriptions and other operations of one WebSocket. */
  graphqlOperations: 100,
  /** ms. */
  leaseMs: 8_000,
  heartbeatMs: 2_000,
  sweepMs: 1_000,
} as const;
