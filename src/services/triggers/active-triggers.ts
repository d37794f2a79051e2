import { readChatPage } from '../../contract/chat/chat-page.ts';
import type { Definition, Issue, NodeEntry, WorkflowSettings } from '../../contract/definition.ts';
import { triggerTypes } from '../../contract/execution.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { isPackTriggerType } from '../../contract/packs/packs.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type {
  CompletionTrigger,
  PollingTrigger,
  ActiveTriggers,
  ScheduleRow,
} from '../../ports/store/active-triggers.ts';
import { isJsonEqual } from '../../lib/json/json-equal.ts';
import { isListenerAddress, isPackWebhook } from './pack-poll.ts';
import { readSchedule } from './schedule-times.ts';
import {
  beginsWithParameter,
  checkEndpoint,
  FORM_METHOD,
  getNamedMethod,
  splitEndpoint,
  getEndpointShape,
} from '../webhooks/webhook-endpoint.ts';
import type { FormLinks } from '../forms/form-links.ts';
import { readFormAccess, readFormLinks } from '../../contract/forms/form-access.ts';

/** A trigger node in the view of a workflow. Times in epoch ms. */
export type TriggerView = {
  nodeId: string;
  type: string;
  url?: string;
  method?: string;
  /** Of a form that only holders of a link can open. */
  links?: { name: string; url: string; expiresAt: string }[];
  nextRunAt?: number | null;
  lastError?: string | null;
};

type TriggerNode = { entry: NodeEntry; type: string; config: JsonObject };

/** Returns the enabled trigger nodes of a definition with their configuration. */
export function listTriggerNodes(definition: Definition, types: NodeTypes): TriggerNode[] {
  const found: TriggerNode[] = [];
  for (const entry of definition.nodes) {
    if (entry.disabled === true) continue;
    const config = isObject(entry.config) ? entry.config : {};
    if (isPackTriggerType(entry.type)) {
      const isWebhook = config['interval'] === undefined && config['cron'] === undefined;
      found.push({
        entry,
        type: isWebhook ? 'webhook' : 'polling',
        config: toPackPoll(entry, config, isWebhook),
      });
      continue;
    }
    if (types.get(entry.type, entry.version)?.isTrigger !== true) continue;
    // Any other value is a configuration error, which a draft may have.
    const type = triggerTypes.find((one) => one === config['triggerType']);
    if (type !== undefined) found.push({ entry, type, config });
  }
  return found;
}

/** Returns the errors that depend on other triggers: duplicate and reserved endpoints. */
export function listTriggerIssues(definition: Definition, types: NodeTypes): Issue[] {
  const issues: Issue[] = [];
  const taken = new Set<string>();
  for (const { entry, type, config } of listTriggerNodes(definition, types)) {
    const named = getNamedMethod(type);
    if (named !== null && typeof config['name'] === 'string') {
      const key = `${named} ${config['name']}`;
      if (taken.has(key))
        issues.push({
          node_id: entry.id,
          field: 'config.name',
          issue: 'is used by another trigger of this workflow',
        });
      taken.add(key);
    }
    if ((type !== 'webhook' && type !== 'form') || typeof config['endpoint'] !== 'string') continue;
    const segments = splitEndpoint(config['endpoint']);
    const key = `${readMethod(config)} ${getEndpointShape(segments)}`;
    const issue = taken.has(key) ? 'is used by another trigger of this workflow' : checkEndpoint(segments);
    if (issue !== null) issues.push({ node_id: entry.id, field: 'config.endpoint', issue });
    taken.add(key);
  }
  return issues;
}

/**
 * A trigger of a pack, with the fields that every polling trigger has. One that receives requests has no
 * times: `config` has been validated.
 */
function toPackPoll({ type, version }: NodeEntry, config: JsonObject, isWebhook: boolean): JsonObject {
  const { interval, cron, timezone, key, maxItems } = config;
  const given = Object.entries({ interval, cron, timezone, key, maxItems });
  return {
    triggerType: 'pack',
    node: type,
    version: version ?? null,
    ...(isWebhook ? { webhook: true } : {}),
    ...Object.fromEntries(given.filter((one): one is [string, Json] => one[1] !== undefined)),
    config,
  };
}

/**
 * What determines the items of a trigger of a pack. Another version of the pack keeps its state. Another
 * account does so too, unless the trigger is registered there.
 */
function readPackSource({ node, key, config, webhook }: JsonObject): Json {
  const other = [
    ...(webhook === true ? [] : ['authentication']),
    'interval',
    'cron',
    'timezone',
    'key',
    'maxItems',
    'timeout',
    'retryPolicy',
  ];
  const fields = Object.entries(isObject(config) ? config : {}).filter(([name]) => !other.includes(name));
  return {
    node: node ?? null,
    key: webhook === true ? null : (key ?? null),
    fields: Object.fromEntries(fields),
  };
}

export function readMethod(config: JsonObject): string {
  if (config['triggerType'] === 'form') return FORM_METHOD;
  return typeof config['method'] === 'string' ? config['method'].toUpperCase() : 'POST';
}

type Owned = { id: string; ownerId: string };

/**
 * Returns the active triggers of a definition. An unchanged schedule keeps its phase (`previous`); a new one
 * begins at `now`, and a new polling trigger polls immediately: all later items are new. The definition must
 * have no errors.
 */
export function listActiveTriggers(
  workflow: Owned,
  definition: Definition,
  version: number,
  types: NodeTypes,
  at: { now: number; timezone: string; previous: readonly ScheduleRow[] },
): ActiveTriggers {
  const live: ActiveTriggers = { webhooks: [], schedules: [], completionTriggers: [], pollingTriggers: [] };
  const common = { workflowId: workflow.id, ownerId: workflow.ownerId, version };
  for (const { entry, type, config } of listTriggerNodes(definition, types)) {
    const named = getNamedMethod(type);
    if (isPackWebhook({ spec: config })) {
      const memory = keepPollMemory(at.previous.find((row) => row.nodeId === entry.id) ?? null, config);
      // Requests that wait are processed at once.
      live.pollingTriggers.push({
        ...common,
        nodeId: entry.id,
        spec: config,
        nextRunAt: at.now,
        lastError: null,
        memory,
      });
    } else if ((type === 'webhook' || type === 'form') && typeof config['endpoint'] === 'string') {
      const segments = splitEndpoint(config['endpoint']);
      live.webhooks.push({
        ...common,
        nodeId: entry.id,
        method: readMethod(config),
        endpoint: segments.join('/'),
        shape: getEndpointShape(beginsWithParameter(segments) ? [workflow.id, ...segments] : segments),
      });
    } else if (named !== null && typeof config['name'] === 'string') {
      const endpoint = `${workflow.ownerId}/${config['name']}`;
      live.webhooks.push({ ...common, nodeId: entry.id, method: named, endpoint, shape: endpoint });
    } else if (type === 'schedule') {
      const before = at.previous.find((row) => row.nodeId === entry.id);
      const kept = before !== undefined && isJsonEqual(before.spec, config) ? before : null;
      const spec = readSchedule(config, at.timezone);
      live.schedules.push({
        ...common,
        nodeId: entry.id,
        spec: config,
        nextRunAt: kept?.nextRunAt ?? (Array.isArray(spec) ? null : spec.next(at.now)),
        lastError: kept?.lastError ?? null,
      });
    } else if (type === 'polling' || type === 'email') {
      const before = at.previous.find((row) => row.nodeId === entry.id) ?? null;
      const memory = keepPollMemory(before, config);
      const kept = memory === 'all' ? before : null;
      const spec = readSchedule(config, at.timezone);
      const waits = memory !== 'nothing' && !Array.isArray(spec) && spec.every === null;
      live.pollingTriggers.push({
        ...common,
        nodeId: entry.id,
        spec: config,
        nextRunAt: kept?.nextRunAt ?? (waits ? spec.next(at.now) : at.now),
        lastError: kept?.lastError ?? null,
        memory,
      });
    } else if (type === 'event' || type === 'error') {
      live.completionTriggers.push({
        workflowId: workflow.id,
        nodeId: entry.id,
        ownerId: workflow.ownerId,
        kind: type,
        on: type === 'error' || config['on'] === 'failed' ? 'failed' : 'completed',
        source: typeof config['workflow_id'] === 'string' ? config['workflow_id'] : null,
        target: workflow.id,
      });
    }
  }
  return live;
}

/** The fields that determine the list of items: a change makes it a different list. */
const SOURCE_FIELDS = ['triggerType', 'url', 'method', 'query', 'body', 'format', 'items', 'key'];
const MAILBOX_FIELDS = ['triggerType', 'host', 'port', 'user', 'mailbox'];

function keepPollMemory(before: ScheduleRow | null, config: JsonObject): PollingTrigger['memory'] {
  const spec = before?.spec;
  if (!isObject(spec)) return 'nothing';
  if (isJsonEqual(spec, config)) return 'all';
  if (spec['triggerType'] === 'pack' && config['triggerType'] === 'pack')
    return isJsonEqual(readPackSource(spec), readPackSource(config)) ? 'items' : 'nothing';
  const fields = config['triggerType'] === 'email' ? MAILBOX_FIELDS : SOURCE_FIELDS;
  return fields.every((name) => isJsonEqual(spec[name] ?? null, config[name] ?? null)) ? 'items' : 'nothing';
}

/** Adds what the settings start, whatever the workflow's status. */
export function withTriggerSync(
  workflow: Owned,
  { on_failure_workflow: target }: WorkflowSettings,
): CompletionTrigger[] {
  if (target === undefined) return [];
  const { id: workflowId, ownerId } = workflow;
  return [{ workflowId, nodeId: null, ownerId, kind: 'error', on: 'failed', source: workflowId, target }];
}

/** Returns the views of a definition's triggers. `rows` are the active schedules and polling triggers. */
export function listTriggerViews(
  workflowId: string,
  definition: Definition,
  types: NodeTypes,
  rows: readonly ScheduleRow[],
  baseUrl: string,
  formLinks: FormLinks,
): TriggerView[] {
  return listTriggerNodes(definition, types).map(({ entry, type, config }) => {
    const view: TriggerView = { nodeId: entry.id, type };
    if (isPackWebhook({ spec: config })) {
      const row = rows.find((one) => one.nodeId === entry.id);
      view.lastError = row?.lastError ?? null;
      if (row?.address !== undefined && row.nextRunAt !== null && !isListenerAddress(row.address)) {
        view.url = `${baseUrl}/pack-webhooks/${row.address}`;
        view.method = 'POST';
      }
    } else if (type === 'webhook' && typeof config['endpoint'] === 'string') {
      const segments = splitEndpoint(config['endpoint']);
      const path = beginsWithParameter(segments) ? [workflowId, ...segments] : segments;
      view.url = `${baseUrl}/webhooks/${path.join('/')}`;
      view.method = readMethod(config);
    } else if (type === 'form' && typeof config['endpoint'] === 'string') {
      const url = `${baseUrl}/forms/${splitEndpoint(config['endpoint']).join('/')}`;
      view.url = url;
      if (readFormAccess(config) === 'link')
        view.links = readFormLinks(config).map((link) => ({
          ...link,
          url: formLinks.createUrl(url, { workflowId, nodeId: entry.id }, link),
        }));
    } else if (type === 'chat') {
      const page = readChatPage(config);
      if (page !== null) {
        const url = `${baseUrl}/chat-pages/${workflowId}`;
        view.url = url;
        if (page.access === 'link')
          view.links = page.links.map((link) => ({
            ...link,
            url: formLinks.createUrl(url, { workflowId, nodeId: entry.id }, link),
          }));
      }
    } else if (type === 'schedule' || type === 'polling' || type === 'email') {
      const row = rows.find((one) => one.nodeId === entry.id);
      view.nextRunAt = row?.nextRunAt ?? null;
      view.lastError = row?.lastError ?? null;
    }
    return view;
  });
}
