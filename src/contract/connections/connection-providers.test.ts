import { describe, expect, test } from 'vitest';
import { fillProviderUrl, loadProviders } from './connection-providers.ts';

const providers = [...(await loadProviders())];

/** The services that workflows use most. */
const MOST_USED = [
  'airtable, asana, atlassian, bitbucket, box, calendly, clickup, discord, docusign, dropbox, facebook, figma',
  'github, gitlab, google, hubspot, intercom, linear, linkedin, mailchimp, microsoft, monday, notion, pipedrive',
  'quickbooks, reddit, salesforce, shopify, slack, spotify, square, stripe, todoist, typeform, webflow, x, xero',
  'zendesk, zoho, zoom',
].flatMap((line) => line.split(', '));
/** The document of Intercom that was found has another host of the authorization URL, app.intercom.io. */
const NOT_REVIEWED = ['intercom'];

describe('the catalog of providers', () => {
  test('has a review of the forty services that workflows use most', () => {
    expect(MOST_USED).toHaveLength(40);
    const reviewed = new Set(providers.filter(([, one]) => one.reviewed !== null).map(([id]) => id));
    expect(MOST_USED.filter((id) => !reviewed.has(id))).toEqual(NOT_REVIEWED);
  });

  test('has at least 150 providers, of which at least 40 are reviewed', () => {
    expect(providers.length).toBeGreaterThanOrEqual(150);
    const reviewed = providers.filter(([, { reviewed: review }]) => review !== null);
    expect(reviewed.length).toBeGreaterThanOrEqual(40);
    for (const [id, { reviewed: review }] of reviewed) {
      expect(review?.date, id).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(review?.source, id).toMatch(/^https:\/\//);
    }
  });

  test('has ids and titles that are used once', () => {
    for (const [id] of providers) expect(id).toMatch(/^[a-z\d][a-z\d_]{0,63}$/);
    const titles = providers.map(([, { title }]) => title.toLowerCase());
    expect(titles.filter((title, i) => title === '' || titles.indexOf(title) !== i)).toEqual([]);
  });

  test.each(providers)('%s: URLs with https, and a field for each placeholder', (_id, provider) => {
    const { authorizationUrl, tokenUrl, testUrl, baseUrl, fields } = provider;
    const urls = [authorizationUrl, tokenUrl, testUrl, baseUrl].filter((url) => url !== null);
    const used = new Set(urls.flatMap((url) => [...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)));
    expect(used).toEqual(new Set(fields.map(({ name }) => name)));
    const examples = Object.fromEntries(fields.map(({ name, example }) => [name, example]));
    for (const url of urls.filter((one) => !one.startsWith('/'))) {
      const filled = new URL(fillProviderUrl(url, examples));
      expect(filled.protocol).toBe('https:');
      expect([filled.username, filled.password, filled.hash]).toEqual(['', '', '']);
      // A provider never leads to Weft itself.
      expect(filled.hostname).toMatch(/\./);
      expect(filled.hostname).not.toMatch(/(?:^|\.)(?:weft\.\w+|localhost|local|internal)$|^[\d.]+$/);
    }
  });

  test('has fields whose values cannot change the host or the path of a URL', () => {
    for (const [id, { fields }] of providers)
      for (const { name, pattern, example, default: byDefault } of fields) {
        const matches = (value: string): boolean => new RegExp(pattern).test(value);
        expect(matches(example), `${id} ${name}`).toBe(true);
        if (byDefault !== null) expect(matches(byDefault), `${id} ${name}`).toBe(true);
        for (const part of ['/', '\\', '?', '#', '@', ' ', '%2f', '{x}', '\n', '..'])
          for (const value of [part, `${example}${part}`, `${part}${example}`, `a${part}b.example`])
            expect(matches(value), `${id} ${name}: ${JSON.stringify(value)}`).toBe(false);
      }
  });
});

test('a field without a value stays in the URL', () => {
  expect(fillProviderUrl('https://{a}.example/{b}', { a: 'x' })).toBe('https://x.example/{b}');
  expect(fillProviderUrl('https://{toString}.example/', {})).toBe('https://{toString}.example/');
});
