import type { NodeType } from '../contract/node-type.ts';
import { code } from './code/code.node.ts';
import { customerRecords } from './connectors/customer-records.node.ts';
import { email } from './connectors/email.node.ts';
import { mysql } from './connectors/servers/mysql.node.ts';
import { postgres } from './connectors/servers/postgres.node.ts';
import { redis } from './connectors/servers/redis.node.ts';
import { s3 } from './connectors/servers/s3.node.ts';
import { slack } from './connectors/slack.node.ts';
import { aggregate } from './data/lists/aggregate.node.ts';
import { compare } from './data/lists/compare.node.ts';
import { crypto } from './data/crypto.node.ts';
import { csv, csv1 } from './data/csv/csv.node.ts';
import { dataTransformer } from './data/data-transformer.node.ts';
import { dataValidator } from './data/json-schema/data-validator.node.ts';
import { dateTime } from './data/date-time.node.ts';
import { filter } from './data/lists/filter.node.ts';
import { json } from './data/json.node.ts';
import { limit } from './data/lists/limit.node.ts';
import { pick } from './data/objects/pick.node.ts';
import { removeDuplicates } from './data/lists/remove-duplicates.node.ts';
import { rename } from './data/objects/rename.node.ts';
import { set } from './data/objects/set.node.ts';
import { sort } from './data/lists/sort.node.ts';
import { split } from './data/lists/split.node.ts';
import { xml } from './data/xml/xml.node.ts';
import { rss } from './feeds/rss.node.ts';
import { html } from './files/html.node.ts';
import { pdfText } from './files/pdf-text.node.ts';
import { spreadsheet } from './files/spreadsheet.node.ts';
import { zip } from './files/zip.node.ts';
import { agent } from './ai/agent/agent.node.ts';
import { classify } from './ai/classify.node.ts';
import { embed } from './ai/embed.node.ts';
import { extract } from './ai/extract.node.ts';
import { llm } from './ai/llm.node.ts';
import { splitText } from './ai/vectors/split-text.node.ts';
import { summarise } from './ai/summarise.node.ts';
import { vectorStore } from './ai/vectors/vector-store.node.ts';
import { approval } from './flow/approval/approval.node.ts';
import { form } from './flow/form/form.node.ts';
import { condition } from './flow/condition.node.ts';
import { delay } from './flow/delay.node.ts';
import { errorHandler } from './flow/error-handler.node.ts';
import { forEach } from './flow/for-each.node.ts';
import { merge } from './flow/merge.node.ts';
import { notify } from './flow/notify.node.ts';
import { mcpTool } from './mcp/mcp-tool.node.ts';
import { parallel } from './flow/parallel.node.ts';
import { respond } from './flow/respond.node.ts';
import { stop } from './flow/stop.node.ts';
import { subWorkflow } from './flow/sub-workflow.node.ts';
import { switchNode } from './flow/switch.node.ts';
import { waitForEvent } from './flow/wait-for-event.node.ts';
import { whileNode } from './flow/while.node.ts';
import { httpRequest } from './http/http-request.node.ts';
import { imap } from './mail/imap.node.ts';
import { trigger } from './triggers/trigger.node.ts';

/** All built-in node types. */
export const builtinNodes: readonly NodeType[] = Object.freeze([
  agent,
  aggregate,
  approval,
  classify,
  code,
  compare,
  condition,
  crypto,
  csv,
  customerRecords,
  dataTransformer,
  dataValidator,
  dateTime,
  delay,
  email,
  embed,
  errorHandler,
  extract,
  filter,
  forEach,
  form,
  html,
  httpRequest,
  imap,
  json,
  limit,
  llm,
  mcpTool,
  merge,
  mysql,
  notify,
  parallel,
  pdfText,
  pick,
  postgres,
  redis,
  removeDuplicates,
  rename,
  respond,
  rss,
  s3,
  set,
  slack,
  sort,
  split,
  splitText,
  spreadsheet,
  stop,
  subWorkflow,
  summarise,
  switchNode,
  trigger,
  vectorStore,
  waitForEvent,
  whileNode,
  xml,
  zip,
]);

/** Older versions, for workflows saved with them. */
export const olderNodes: readonly NodeType[] = Object.freeze([csv1]);
