import { expect, test } from 'vitest';
import {
  createFormWorkflow,
  createFormDefinition,
  readHidden,
  submitForm,
} from '../../support/forms/submit-form.ts';
import { adminEmail, adminPassword, waitUntil } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';

type Workflow = {
  triggers: { node_id: string; url: string; links?: { name: string; url: string; expires_at: string }[] }[];
};

const service = useService({ WEFT_WEBHOOK_RATE_LIMIT: '1000' });
const url = (endpoint: string): string => `${service.weft.url}/forms/${endpoint}`;
const name = { type: 'text', name: 'name', label: 'Name', required: true };

async function readInputs(workflow: string, count: number): Promise<object[]> {
  const { body } = await waitUntil(
    () => service.api('GET', `/executions?workflow_id=${workflow}&limit=100`),
    ({ body: list }) => (list as { executions: object[] }).executions.length === count,
  );
  const { executions } = body as { executions: { id: string }[] };
  return Promise.all(
    executions.map(
      async ({ id }) => ((await service.api('GET', `/executions/${id}`)).body as { input: object }).input,
    ),
  );
}
const readLinks = async (workflow: string): Promise<Record<string, string>> => {
  const { body } = await service.api('GET', `/workflows/${workflow}`);
  const { links } = (body as Workflow).triggers[0]!;
  return Object.fromEntries(links!.map((link) => [link.name, link.url]));
};

test('a form with links opens with a link only, until it expires or is removed', async () => {
  const links = [
    { name: 'customers', expires_at: '2999-01-31' },
    { name: 'partners', expires_at: '2999-01-31T18:00:00+02:00' },
    { name: 'past', expires_at: '2020-01-31' },
  ];
  const config = { endpoint: 'by-link', title: 'By link', access: 'link', fields: [name] };
  const workflow = await createFormWorkflow(service.api, { ...config, links });
  const urls = await readLinks(workflow);
  expect(Object.keys(urls)).toEqual(['customers', 'partners', 'past']);
  expect(urls['customers']).toMatch(/\/v1\/forms\/by-link\?_link=[\w-]{20,}\.[\w-]{24}$/);

  const opened = await fetch(urls['customers']!);
  const html = await opened.text();
  expect([opened.status, html.includes('<h1>By link</h1>')]).toEqual([200, true]);
  const refused = async (address: string, init: RequestInit = {}): Promise<void> => {
    const response = await fetch(address, init);
    expect([address, response.status, await response.text()]).toEqual([
      address,
      404,
      expect.stringContaining('This link is not valid'),
    ]);
  };
  const [, token] = urls['customers']!.split('_link=') as [string, string];
  const forged = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
  const body = new URLSearchParams({ _key: readHidden(html)['_key']!, _page: '0', name: 'Eve' });
  for (const address of [url('by-link'), `${url('by-link')}?_link=${forged}`, urls['past']!]) {
    await refused(address);
    await refused(address, { method: 'POST', body });
  }
  // A link opens its own form only.
  const other = { ...config, endpoint: 'other-link', links };
  await createFormWorkflow(service.api, other);
  await refused(`${url('other-link')}?_link=${token}`);

  const sent = await submitForm(urls['customers']!, { name: 'Ada' }, { html });
  expect(sent.status, sent.html).toBe(200);
  expect(await readInputs(workflow, 1)).toMatchObject([{ fields: { name: 'Ada' }, link: 'customers' }]);

  // Another expiry is another link, and a removed one ends at once.
  const definition = createFormDefinition({
    ...config,
    links: [{ name: 'customers', expires_at: '2999-02-28' }, links[1]],
  });
  const changed = await service.api('PUT', `/workflows/${workflow}`, { body: { definition } });
  expect(changed.status, changed.text).toBe(200);
  await refused(urls['customers']!);
  await refused(urls['customers']!, { method: 'POST', body });
  expect((await fetch(urls['partners']!)).status).toBe(200);
  expect((await fetch((await readLinks(workflow))['customers']!)).status).toBe(200);
});

test('a form for users needs a session of the browser, and names who submitted', async () => {
  const config = { endpoint: 'for-users', title: 'For users', access: 'users', fields: [name] };
  const workflow = await createFormWorkflow(service.api, config);
  const login = await fetch(`${service.weft.url}/auth/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-weft-csrf': '1', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email: adminEmail, password: adminPassword }),
  });
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  expect(cookie, await login.text()).toContain('weft_session');

  const anonymous = await fetch(url('for-users'), { headers: { 'accept-language': 'de' } });
  expect([anonymous.status, await anonymous.text()]).toEqual([
    401,
    expect.stringMatching(/Melden Sie sich an[^]*href="http:\/\/127\.0\.0\.1:\d+\/"/),
  ]);
  const page = await fetch(url('for-users'), { headers: { cookie } });
  const html = await page.text();
  expect([page.status, html.includes('<h1>For users</h1>')]).toEqual([200, true]);
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
  );

  const sameOrigin = { cookie, 'sec-fetch-site': 'same-origin' };
  // Without a session, with a wrong one, and from another site, which could have planted the page.
  const login401 = [401, 'Log in to open this form'] as const;
  const otherSite = [403, 'This form was sent from another site'] as const;
  for (const [headers, [status, title]] of [
    [{}, login401],
    [{ cookie: `${cookie}x`, 'sec-fetch-site': 'same-origin' }, login401],
    [{ cookie, 'sec-fetch-site': 'cross-site' }, otherSite],
    [{ cookie, 'sec-fetch-site': 'same-site' }, otherSite],
    [{ cookie, origin: 'https://evil.example' }, otherSite],
    [{ cookie }, otherSite],
  ] as const) {
    const sent = await submitForm(url('for-users'), { name: 'Eve' }, { html, headers });
    expect([headers, sent.status, sent.html.includes(title)]).toEqual([headers, status, true]);
  }
  const sent = await submitForm(url('for-users'), { name: 'Ada' }, { html, headers: sameOrigin });
  expect(sent.status, sent.html).toBe(200);
  expect(await readInputs(workflow, 1)).toMatchObject([
    { fields: { name: 'Ada' }, submitted_by: { user_id: expect.stringMatching(/^usr_/), email: adminEmail } },
  ]);
  const { body } = await service.api('GET', `/workflows/${workflow}`);
  expect((body as Workflow).triggers[0]).not.toHaveProperty('links');
});

test.each([
  [{ access: 'link' }, 'links'],
  [{ links: [{ name: 'a', expires_at: '2999-01-31' }] }, 'links'],
  [{ access: 'everybody' }, 'access'],
  [{ access: 'link', links: [{ name: 'a', expires_at: 'soon' }] }, 'links[0].expires_at'],
  [{ access: 'link', links: [{ name: 'a', expires_at: '2027-02-30' }] }, 'links[0].expires_at'],
  [
    {
      access: 'link',
      links: [
        { name: 'a', expires_at: '2999-01-31' },
        { name: 'a', expires_at: '2999-01-31' },
      ],
    },
    'links[1].name',
  ],
])('%j is refused, and names the field', async (config, field) => {
  const { status, text } = await service.api('POST', '/workflows', {
    body: {
      name: 'x',
      status: 'active',
      definition: createFormDefinition({ endpoint: 'refused', title: 'x', fields: [name], ...config }),
    },
  });
  expect([status, text]).toEqual([400, expect.stringContaining(`config.${field}"`)]);
});
