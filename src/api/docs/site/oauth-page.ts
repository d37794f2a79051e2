import { markup } from '../../oauth/markup.ts';
import { renderHeading, renderSection, type Page } from './layout.ts';
import { renderBullets, renderParagraphs } from './prose.ts';
import { createEntry, renderOperation, listOperations, findPath, type RestParts } from './rest-page.ts';

/** The page of the authorization server. */
export function createOAuthPage(parts: RestParts): Page {
  const { document, root, baseUrl } = parts;
  const { origin } = new URL(baseUrl);
  const found = listOperations(document, 'OAuth 2.0');
  return {
    path: '/oauth',
    title: 'OAuth 2.0',
    part: 'Other APIs',
    entries: [{ id: 'flows', label: 'Flows' }, ...found.map(createEntry)],
    body: () => markup`${renderHeading(1, 'oauth', 'OAuth 2.0')}
<p class="lead">Weft is an authorization server. Issuer and endpoints are at the root of the origin and follow the standards: redirects, forms, and errors as in RFC 6749.</p>
${renderSection(
  markup`${renderHeading(2, 'flows', 'Flows')}${renderParagraphs(
    `Standard libraries need only the metadata URL: \`${origin}/.well-known/oauth-authorization-server\`.`,
  )}${renderBullets(
    '**Authorization code** for applications with user login. PKCE with `S256` is required. A public client may register itself.',
    `**Client credentials** for services. The client is [registered with a session](${findPath(document, root, 'createOAuthClient')}) and acts as that user.`,
    '**Refresh tokens** can be used once; each response contains the next one.',
    `Access tokens work as Bearer in all APIs. They have the same [scopes](${root}/authentication#scopes) as API keys.`,
  )}`,
  null,
)}
${found.map((one) => renderOperation(parts, one))}`,
  };
}
