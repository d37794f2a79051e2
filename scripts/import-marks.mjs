// Writes the marks of services, from the npm package simple-icons (CC0 1.0):
// `node scripts/import-marks.mjs node_modules/simple-icons`. Services without a mark there are left out, such
// as Slack and Amazon, which do not want theirs to be included.
// - web/src/credentials/provider-marks.json: the OAuth providers of the catalog
// - web/src/connectors/service-marks.json: other services, to which packs often connect
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const catalog = readJson(path.join(root, 'src/contract/connections/connection-providers.json'));

/** Ids in simple-icons. */
const SERVICES = [
  'algolia, anthropic, appwrite, baserow, bigcommerce, binance, bitwarden, bluesky, brevo, circleci, clarifai',
  'claude, clickhouse, clockify, cloudflare, coda, confluence, contentful, datadog, deepseek, directus, elasticsearch',
  'elevenlabs, evernote, firebase, ghost, gitea, gmail, googleanalytics, googlebigquery, googlecalendar, googledocs',
  'googledrive, googleforms, googlegemini, googlesheets, googletasks, grafana, huggingface, instagram, jenkins, jira',
  'klarna, kubernetes, mailgun, matrix, mattermost, medium, meilisearch, metabase, mistralai, mixpanel, mongodb',
  'neo4j, nextcloud, odoo, pagerduty, pastebin, perplexity, posthog, prestashop, qdrant, replicate, resend',
  'rocketdotchat, sanity, sentry, signal, strapi, supabase, telegram, tiktok, toggl, trello, whatsapp, wise',
  'woocommerce, youtube',
].flatMap((line) => line.split(', '));

const toKey = (text) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('The folder of simple-icons is missing.');
const slugs = new Map();
for (const { title, slug } of readJson(path.join(folder, 'data/simple-icons.json')))
  slugs.set(toKey(title), slug ?? toKey(title));

function readMark(slug) {
  let svg;
  try {
    svg = readFileSync(path.join(folder, 'icons', `${slug}.svg`), 'utf8');
  } catch {
    return undefined;
  }
  return /<path d="([^"]+)"\/>/.exec(svg)?.[1];
}

function write(file, services) {
  const marks = {};
  for (const [id, slug] of services) {
    const mark = slug === undefined ? undefined : readMark(slug);
    if (mark !== undefined) marks[id] = mark;
  }
  writeFileSync(path.join(root, file), `${JSON.stringify(marks, null, 2)}\n`);
  console.log(`${file}: ${Object.keys(marks).length} of ${services.length}`);
}

write(
  'web/src/credentials/provider-marks.json',
  Object.entries(catalog).map(([id, { title }]) => [id, slugs.get(toKey(title)) ?? slugs.get(toKey(id))]),
);
write(
  'web/src/connectors/service-marks.json',
  SERVICES.map((id) => [id, id]),
);
