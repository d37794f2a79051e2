import { UPSTREAM_JSON } from '../contract/json-input.ts';

/** Every bound of the service in one place; each is tested at the limit and one past it, and named in its error. */
export const limits = {
  /** Nodes of one definition. */
  nodes: 10_000,
  connections: 40_000,
  /**
   * Of JSON, checked before it is parsed: values, levels of nesting, different names. `json` holds for request bodies and for webhooks
   * that verify no caller, `verifiedWebhookJson` for the other webhooks, `upstreamJson` for answers of other services.
   */
  json: { values: 250_000, depth: 64, names: 10_000 },
  verifiedWebhookJson: { values: 1_500_000, depth: 64, names: 100_000 },
  upstreamJson: UPSTREAM_JSON,
  /** Bytes of the body of a route that needs no credential. */
  publicBody: 16 * 1024,
  /** Bytes of a request body and of a webhook body. */
  requestBody: 5 * 1024 * 1024,
  webhookBody: 16 * 1024 * 1024,
  /** Bytes of a webhook body whose raw bytes the trigger asks for: they are kept besides the parsed body. */
  webhookRawBody: 4 * 1024 * 1024,
  /** Parts of a multipart webhook body, and those of them that are files; bytes of one part's headers; characters of its name. */
  webhookParts: 1_000,
  webhookFiles: 100,
  webhookPartHeaders: 8 * 1024,
  webhookFieldName: 200,
  /** First segments of webhook endpoints that one workflow may reserve. */
  webhookSegments: 1_000,
  /** Bytes, as JSON, of what goes into a node or comes out of it, or of an execution. */
  nodeOutput: 64 * 1024 * 1024,
  /** Lists and objects that stand one in the other in such a value: what reads JSON downstream stays within the stack. */
  valueDepth: 200,
  /** From this many bytes on a value is stored as a content of its own. */
  inlineValue: 256 * 1024,
  /** Node runs of one execution. */
  steps: 1_000_000,
  /** Bytes of journals that are read for one answer on many executions. */
  manyJournals: 32 * 1024 * 1024,
  /** Bytes of the values of many things (node runs, definitions) in one answer. */
  manyValues: 32 * 1024 * 1024,
  logEntriesPerNodeRun: 1_000,
  logMessage: 10_000,
  /** Executions that run at once in one process; more stay queued on disk. */
  activeExecutions: 2_000,
  /** Executions that may wait in the queue before new ones are refused with 429. */
  queuedExecutions: 100_000,
  /**
   * Bytes, as JSON, of the values that all executions keep in memory, before more executions stay queued on disk and large
   * answers wait; one execution keeps half of it before its next node fails. Less where the process may grow to little.
   */
  liveValues: 512 * 1024 * 1024,
  /** Bytes of one execution that wait for the disk before its nodes without effects wait for it, too. */
  aheadBytes: 16 * 1024 * 1024,
  /** Bytes that may wait for the disk before new executions are refused with 429. */
  pendingBytes: 256 * 1024 * 1024,
  /** Crashes of the process in which one node run was the only suspect at work, before it fails as `interrupted`. */
  loneCrashes: 3,
  /** Executions that were at work in one crash and run at once in one process until they have proved themselves. */
  suspectsAtOnce: 64,
  /** ms after which such an execution has proved itself though no attempt of it ended: at first, and after many crashes. */
  probation: 1_000,
  probationLongest: 30_000,
  /** ms that a process has to live before it runs what was alone in a crash. */
  steadyAfter: 10_000,
  /** Bytes of one mail's texts and attachments together, before they are encoded; recipients; attachments. */
  mail: 25 * 1024 * 1024,
  mailRecipients: 100,
  mailAttachments: 100,
  /** Rows that a SQL node may ask for, bytes of what its statement gives, connections to one database from one process, and those that wait unused. */
  sqlRows: 100_000,
  sqlBytes: 32 * 1024 * 1024,
  sqlConnections: 10,
  sqlIdle: 100,
  /** Connected accounts of one owner, and refresh tokens of configurations whose successors are kept. */
  connectedAccounts: 200,
  tokenSlots: 100,
  /** Processes that run user code; calls that wait for one. */
  codeProcesses: 4,
  codeQueue: 100_000,
  /** Bytes of what goes into a call of user code and of what comes out, as JSON. */
  codeInput: 16 * 1024 * 1024,
  codeOutput: 16 * 1024 * 1024,
  /** MB of the heap of user code, and of the whole process that runs it. */
  codeMemory: 128,
  codeProcessMemory: 400,
  /** Versions of custom nodes that an owner may have, and bytes of them together. */
  customNodeVersions: 500,
  /** Versions that an owner may have deleted: each is remembered, so that none comes back as something else. */
  deletedNodeVersions: 10_000,
  customNodeBytes: 16 * 1024 * 1024,
  /**
   * Of the packages that one version of a custom node brings: bytes of one archive and of all, files and bytes that are in
   * them, ms that fetching may take; characters of what they are bundled into, and ms that bundling may take.
   */
  packageArchive: 8 * 1024 * 1024,
  packageArchives: 24 * 1024 * 1024,
  packageFiles: 10_000,
  packageBytes: 32 * 1024 * 1024,
  packageFetch: 60_000,
  bundle: 2 * 1024 * 1024,
  bundling: 30_000,
  /** Registrations with packages that wait for the one that is bundled. */
  bundlingQueue: 16,
  /** ms after which a process for user code that has nothing to do is ended. */
  codeIdle: 60_000,
  /** Characters of one parameter in a path. */
  pathParameter: 2_000,
  /** Items that a polling trigger remembers (a tenth more, before the oldest go), items of one answer, bytes of it, and polls at once. */
  polledKeys: 10_000,
  polledItems: 10_000,
  pollBytes: 16 * 1024 * 1024,
  polls: 50,
  /** Executions that started each other, one below the other. */
  depth: 32,
  /** Executions that start when one ends. */
  followers: 1_000,
  /** How long (ms) the engine works on one execution before it lets others run. */
  turn: 8,
  /** Open WebSockets of one process, of one of its users, and of those that have not yet said who they are. */
  sockets: 8_000,
  socketsPerUser: 2_000,
  unprovedSockets: 1_000,
  unprovedSocketsPerAddress: 200,
  /** Streams of server-sent events of one process, and of one of its users. */
  streams: 2_000,
  streamsPerUser: 500,
  /** Bytes of one message from a socket's client, and of what may wait for one socket. */
  socketMessage: 64 * 1024,
  socketBuffer: 1024 * 1024,
  /** Narrowings of one socket. */
  narrowings: 100,
  /** Messages that a socket's client may send at once, and per second in the long run. */
  socketBurst: 200,
  socketRate: 50,
  /** Versions of templates of one owner, and bytes of one. */
  templates: 1_000,
  templateBytes: 1024 * 1024,
  /** Test addresses of webhooks that are open at once, in one process and of one owner. */
  listeners: 1_000,
  listenersPerOwner: 50,
  /** Of one GraphQL document, before anything of it runs: bytes of the request, tokens, brackets within brackets, … */
  graphqlBody: 256 * 1024,
  graphqlTokens: 10_000,
  graphqlNesting: 64,
  graphqlFields: 1_000,
  graphqlDepth: 12,
  graphqlAliases: 30,
  graphqlRootFields: 20,
  graphqlDirectives: 50,
  /** Of one operation with its variables; what counts how much is in docs/graphql.md. */
  graphqlCost: 1_000,
  /** Bytes of an answer: the largest output finds room, and were it all escapes it would still be a string. */
  graphqlAnswer: 80 * 1024 * 1024,
  /** ms that an operation may take, waits that it asks for apart. */
  graphqlTime: 5_000,
  /** Documents that are kept ready, and characters of them. */
  graphqlDocuments: 500,
  graphqlDocumentChars: 4 * 1024 * 1024,
  /** Errors that one answer lists. */
  graphqlErrors: 20,
  /** Subscriptions and other operations under way on one socket. */
  graphqlOperations: 100,
  /** ms. */
  lease: 8_000,
  heartbeat: 2_000,
  sweep: 1_000,
} as const;
