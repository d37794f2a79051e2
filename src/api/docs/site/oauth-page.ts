import { markup } from '../../oauth/markup.ts';
import { heading, section, type Page } from './layout.ts';
import { bullets, paragraphs } from './prose.ts';
import { entryOf, operationSection, operationsOf, placeOf, type RestParts } from './rest-page.ts';

/** The authorization server. */
export function oauthPage(parts: RestParts): Page {
  const { document, root, baseUrl } = parts;
  const { origin } = new URL(baseUrl);
  const found = operationsOf(document, 'OAuth 2.0');
  return {
    path: '/oauth',
    title: 'OAuth 2.0',
    part: 'Other doors',
    entries: [{ id: 'flows', label: 'Flows' }, ...found.map(entryOf)],
    body: () => markup`${heading(1, 'oauth', 'OAuth 2.0')}
<p class="lead">Weft is an authorization server. Issuer and endpoints stand at the root of the origin, and follow the standards: redirects, forms, and errors as RFC 6749 has them.</p>
${section(
  markup`${heading(2, 'flows', 'Flows')}${paragraphs(
    `A standard library needs one address: \`${origin}/.well-known/oauth-authorization-server\`.`,
  )}${bullets(
    '**Authorization code** for applications that people log in to. PKCE with `S256` is required. A public client may register itself.',
    `**Client credentials** for services. The client is [registered with a session](${placeOf(document, root, 'createOAuthClient')}) and acts as that user.`,
    '**Refresh tokens** are spent by their use; each answer has the next one.',
    `Access tokens work as Bearer at every door. Their [scopes](${root}/authentication#scopes) are those of API keys.`,
  )}`,
  null,
)}
${found.map((one) => operationSection(parts, one))}`,
  };
}
