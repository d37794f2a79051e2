// Adds providers from `config/oauth.json` of the npm package grant (MIT) to the catalog, as entries that
// are not reviewed: `node scripts/import-providers.mjs node_modules/grant/config/oauth.json`. Existing
// entries stay as they are. Prints what it added; the titles are to be corrected by hand.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const file = path.resolve(import.meta.dirname, '../src/contract/connections/connection-providers.json');
const LABEL = '^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$';
const HOST =
  '^(?=.{1,253}$)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}(?::\\d{1,5})?$';
// Ended services, requests that differ from OAuth 2.0, and other names of providers in the catalog.
const LEFT_OUT = new Set(
  `angellist apple cheddar edmodo egnyte eyeem getbase gitter homeaway huddle instagram intuit jumplead live
  logingov lyft medium myob nest openstreetmap2 phantauth projectplace2 qq runkeeper shoeboxed slice stocktwits
  stormz ticketbud tiktok traxo twitter2 underarmour venmo viadeo visualstudio wechat withings workos`.split(
    /\s+/,
  ),
);

/** The last two labels of the host: the domain of most APIs. */
function parseDomain(url) {
  return new URL(url.replaceAll(/\[\w+\]/g, 'x')).hostname.split('.').slice(-2).join('.');
}

function toProvider(
  id,
  { authorize_url: authorizationUrl, access_url: tokenUrl, scope_delimiter: delimiter },
) {
  const isHost = tokenUrl.includes('//[subdomain]/');
  const name = isHost ? 'host' : 'subdomain';
  const fill = (url) => url.replaceAll('[subdomain]', `{${name}}`);
  const field = isHost
    ? { name, title: 'Host', pattern: HOST, example: 'auth.example.com', default: null }
    : { name, title: 'Subdomain', pattern: LABEL, example: 'example', default: null };
  return {
    title: id,
    authorizationUrl: fill(authorizationUrl),
    tokenUrl: fill(tokenUrl),
    // grant separates scopes with a comma unless an entry says otherwise.
    scopeSeparator: delimiter === undefined || delimiter === ',' ? ',' : ' ',
    clientAuthentication: null,
    pkce: true,
    authorizationParams: {},
    fields: `${authorizationUrl}${tokenUrl}`.includes('[subdomain]') ? [field] : [],
    hosts: isHost ? [] : [parseDomain(tokenUrl)],
    baseUrl: null,
    testUrl: null,
    reviewed: null,
  };
}

const [source] = process.argv.slice(2);
if (source === undefined) throw new Error('The path of oauth.json is missing.');
const catalog = JSON.parse(readFileSync(file, 'utf8'));
const added = Object.entries(JSON.parse(readFileSync(source, 'utf8'))).filter(
  ([id, entry]) => entry.oauth === 2 && !LEFT_OUT.has(id) && !Object.hasOwn(catalog, id),
);
for (const [id, entry] of added) catalog[id] = toProvider(id, entry);
const sorted = Object.entries(catalog).toSorted(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
console.log(`added ${added.length}: ${added.map(([id]) => id).join(', ')}`);
