import type { Catalog } from './catalog.ts';
import { describeCondition } from './condition-text.ts';
import { isObject, type Entry, type Json, type JsonObject } from './document.ts';
import { describeCron, describeDuration, describeInterval } from './schedule-text.ts';
import {
  formatAddress,
  countWords,
  toList,
  formatPlainText,
  formatShortText,
  formatValueText,
} from './summary-text.ts';
import { getNodeTitle } from './title.ts';
import { t } from '../../i18n/index.ts';

type Summary = (config: JsonObject) => string;

const cache = new WeakMap<Catalog, WeakMap<Entry, string>>();

/** The second line of a node's card: what it does, or its type if the configuration is empty. */
export function getSummary(entry: Entry, catalog: Catalog): string {
  let summaries = cache.get(catalog);
  if (summaries === undefined) cache.set(catalog, (summaries = new WeakMap()));
  let summary = summaries.get(entry);
  if (summary === undefined) {
    const type = catalog.get(entry.type);
    const name = type?.name ?? entry.type;
    // A custom type may have the id of a former built-in type, with another configuration.
    if (type?.pack == null)
      summary = type?.custom === true ? '' : summarizeNode(entry.type, entry.config ?? {});
    else summary = joined(name, text(entry.config?.['operation']));
    if (summary === '')
      summary =
        getNodeTitle(entry, catalog) === name ? formatShortText(type?.description ?? '') || name : name;
    summaries.set(entry, summary);
  }
  return summary;
}

/** The summary of a node of a built-in type; empty if its configuration is empty. */
export function summarizeNode(type: string, config: JsonObject): string {
  return Object.hasOwn(summaries, type) ? summaries[type]!(config) : '';
}

const summaries: Readonly<Record<string, Summary>> = {
  trigger: triggerWords,
  agent: ({ tools }) => (toList(tools).length === 0 ? '' : countWords(toList(tools).length, 'tool')),
  llm: ({ model, prompt }) => joined(text(model), formatPlainText(text(prompt))),
  extract: ({ model, text: source }) => joined(text(model), formatPlainText(text(source))),
  embed: ({ model, texts }) => joined(text(model), formatPlainText(text(texts))),
  split_text: ({ source }) => formatValueText(source),
  vector_store: ({ operation, collection }) => joined(words(operation), formatValueText(collection)),
  classify: ({ categories }) => listNames(categories),
  summarise: ({ model, text: source }) => joined(text(model), formatPlainText(text(source))),
  http_request: ({ method, url }) => formatAddress(text(method) || 'GET', url),
  condition: ({ condition }) => describeCondition(condition),
  switch: ({ cases }) => listNames(cases),
  set: ({ fields }) => fieldWords(fields, '='),
  filter: ({ condition, when }) => (text(when) === '' ? describeCondition(condition) : formatValueText(when)),
  for_each: ({ items, concurrency }) =>
    joined(
      Array.isArray(items)
        ? countWords(items.length, 'item')
        : phrase(formatValueText(items), (value) => t('over {{value}}', { value })),
      typeof concurrency === 'number' && concurrency > 1
        ? t('{{number}} at a time', { number: concurrency })
        : '',
    ),
  while: ({ condition }) => phrase(describeCondition(condition), (value) => t('while {{value}}', { value })),
  parallel: ({ branches, waitForAll }) =>
    joined(
      toList(branches).length === 0 ? '' : countWords(toList(branches).length, 'branch'),
      waitForAll === false ? t('first result') : '',
    ),
  merge: ({ mode, key }) =>
    ({
      object: t('into one object'),
      append: t('append lists'),
      first: t('first input'),
      by_key: joined(t('by key'), formatValueText(key)),
    })[text(mode)] ?? '',
  code: ({ source }) => codeWords(text(source)),
  data_transformer: ({ operations }) =>
    toList(operations).length === 0 ? '' : countWords(toList(operations).length, 'operation'),
  data_validator: ({ schema, schemas }) => schemaWords(schema, schemas),
  delay: ({ duration, until }) =>
    text(duration) === ''
      ? phrase(formatValueText(until), (value) => t('until {{value}}', { value }))
      : describeDuration(formatPlainText(text(duration))),
  wait_for_event: ({ timeout }) =>
    t('up to {{duration}}', { duration: describeDuration(formatPlainText(text(timeout) || '1d')) }),
  approval: ({ title }) => formatPlainText(text(title)),
  form: ({ title }) => formatPlainText(text(title)),
  respond: ({ status }) => formatValueText(status ?? 200),
  stop: ({ outcome, message }) =>
    outcome === 'failed'
      ? t('fail: {{message}}', { message: formatPlainText(text(message)) })
      : text(outcome),
  notify: ({ level, message }) => joined(text(level), formatPlainText(text(message))),
  error_handler: ({ strategies }) =>
    [...new Set(toList(strategies).flatMap((one) => (isObject(one) ? [text(one['action'])] : [])))].join(
      ' · ',
    ),
  sub_workflow: ({ workflow_id: id, wait }) =>
    joined(
      phrase(formatValueText(id), (value) => t('workflow {{value}}', { value })),
      wait === false ? t('without waiting') : '',
    ),
  email: ({ template }) =>
    isObject(template)
      ? phrase(formatValueText(template['to']), (value) => t('to {{value}}', { value }))
      : '',
  imap: ({ operation, mailbox, uid, uids }) =>
    [words(operation), formatValueText(uid ?? uids ?? mailbox)].filter(Boolean).join(' '),
  slack: ({ channel, text: message }) => channelText(channel) || formatPlainText(text(message)),
  postgres: statementWords,
  mysql: statementWords,
  redis: ({ operation, key, keys, channel, command }) =>
    operation === 'command'
      ? formatShortText(toList(command).map(formatValueText).join(' '))
      : joined(words(operation), formatValueText(key ?? keys ?? channel)),
  s3: ({ operation, bucket, key, prefix }) =>
    joined(
      text(operation),
      [formatValueText(bucket), formatValueText(key ?? prefix)].filter(Boolean).join('/'),
    ),
  customer_records: ({ service, operation }) => joined(words(operation), text(service)),
  aggregate: ({ groupBy, fields }) =>
    toList(groupBy).length > 0 ? byWords(groupBy) : isObject(fields) ? Object.keys(fields).join(', ') : '',
  sort: ({ by }) => byWords(toList(by).map(sortWords).filter(Boolean).join(', ')) || t('by value'),
  limit: ({ count, from }) =>
    count === undefined
      ? ''
      : from === 'end'
        ? t('last {{number}}', { number: formatValueText(count) })
        : t('first {{number}}', { number: formatValueText(count) }),
  remove_duplicates: ({ by }) => byWords(by) || t('equal items'),
  compare: ({ by }) => byWords(by),
  pick: ({ mode, fields }) =>
    phrase(formatValueText(fields), (value) =>
      mode === 'remove' ? t('remove {{value}}', { value }) : t('keep {{value}}', { value }),
    ),
  rename: ({ fields, pattern }) =>
    fieldWords(fields, '→') ||
    (isObject(pattern)
      ? `${formatValueText(pattern['match'])} → ${formatValueText(pattern['replace'])}`
      : ''),
  split: ({ field }) => formatValueText(field),
  json: operationWords,
  csv: operationWords,
  spreadsheet: operationWords,
  zip: operationWords,
  pdf_text: ({ value }) => formatValueText(value) || t('text of the input'),
  html: operationWords,
  rss: ({ url }) => formatAddress('', url),
  mcp_tool: ({ tool, url }) => text(tool) || formatAddress('', url),
  xml: operationWords,
  crypto: ({ operation, algorithm }) => joined(words(operation), text(algorithm)),
  date_time: operationWords,
};

/** The types with a summary of their own; a test compares them with the catalog. */
export const summarizedTypes: readonly string[] = Object.keys(summaries);

function triggerWords(config: JsonObject): string {
  const { triggerType, endpoint, name, method, url, cron, interval, on, host, user, mailbox } = config;
  switch (triggerType) {
    case 'manual':
      return t('manual');
    case 'webhook':
      return text(endpoint) === ''
        ? t('webhook')
        : `${text(method) || 'POST'} /${text(endpoint).replace(/^\/+/, '')}`;
    case 'form':
      return text(endpoint) === ''
        ? t('form')
        : t('form /{{path}}', { path: text(endpoint).replace(/^\/+/, '') });
    case 'schedule':
      return text(cron) === ''
        ? text(interval) === ''
          ? t('schedule')
          : describeInterval(text(interval))
        : describeCron(text(cron));
    case 'tool':
      return text(name) === '' ? t('tool') : t('tool {{name}}', { name: text(name) });
    case 'chat':
      return text(name) === '' ? t('chat') : t('chat {{name}}', { name: text(name) });
    case 'polling': {
      const from = formatAddress('', url).split('/')[0]!;
      return from === ''
        ? t('polling')
        : joined(
            t('polls {{host}}', { host: from }),
            text(interval) === '' ? '' : describeInterval(text(interval)),
          );
    }
    case 'email':
      return text(host) === ''
        ? t('email')
        : joined(
            phrase(formatValueText(user) || text(host), (account) => t('emails to {{account}}', { account })),
            text(mailbox),
          );
    case 'event':
      return on === 'failed' ? t('when a workflow fails') : t('when a workflow completes');
    case 'error':
      return t('when a workflow fails');
    default:
      return '';
  }
}

function statementWords({ operation, query, table }: JsonObject): string {
  return operation === 'query'
    ? formatShortText(formatPlainText(text(query)))
    : joined(text(operation), formatValueText(table));
}

function operationWords({ operation, value, items }: JsonObject): string {
  return [words(operation), formatValueText(value ?? items)].filter(Boolean).join(' ');
}

function sortWords(by: Json): string {
  if (!isObject(by)) return '';
  return `${formatValueText(by['field'])}${by['direction'] === 'descending' ? ' ↓' : ''}`.trim();
}

/** One field is shown; of several, how many. */
function fieldWords(fields: Json | undefined, sign: string): string {
  if (!isObject(fields)) return '';
  const names = Object.keys(fields);
  if (names.length === 1) return `${names[0]} ${sign} ${formatValueText(fields[names[0]!]) || '""'}`;
  return names.length === 0 ? '' : countWords(names.length, 'field');
}

function schemaWords(schema: Json | undefined, schemas: Json | undefined): string {
  if (isObject(schemas)) return countWords(Object.keys(schemas).length, 'schema');
  const properties = isObject(schema) ? schema['properties'] : undefined;
  return isObject(properties)
    ? t('checks {{fields}}', { fields: countWords(Object.keys(properties).length, 'field') })
    : '';
}

/** The comment that the code begins with, else the language. */
function codeWords(source: string): string {
  const comment = /^\s*(?:\/\/|\/\*+)\s*([^\n*]+)/.exec(source)?.[1]?.trim();
  return comment === undefined || comment === '' ? 'JavaScript' : formatShortText(comment);
}

/** Names get their sign; ids and templates stay as they are. */
function channelText(channel: Json | undefined): string {
  const value = formatValueText(channel);
  return /^[a-z][a-z0-9_-]*$/.test(value) ? `#${value}` : value;
}

function phrase(value: string, around: (value: string) => string): string {
  return value === '' ? '' : around(value);
}

function byWords(value: Json | undefined): string {
  return phrase(formatValueText(value), (formatted) => t('by {{value}}', { value: formatted }));
}

function joined(...parts: readonly string[]): string {
  return parts.filter(Boolean).join(' · ');
}

function listNames(value: Json | undefined): string {
  return toList(value)
    .flatMap((one) => (isObject(one) && typeof one['name'] === 'string' ? [one['name']] : []))
    .join(' · ');
}

function words(value: Json | undefined): string {
  return text(value).replaceAll('_', ' ');
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
