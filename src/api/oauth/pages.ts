import { createHash } from 'node:crypto';
import { adminScopes, type Scope } from '../../contract/scopes.ts';
import { logo } from './logo.ts';
import { Markup, markup, nothing } from './markup.ts';
import { describeScopes } from './scope-descriptions.ts';
import { style } from './style.ts';

export type Page = { readonly html: string; readonly headers: Readonly<Record<string, string>> };

/** The client that requests access. `target` is the redirect target. */
export type AskingClient = {
  readonly name: string;
  readonly target: string;
  readonly isLocalTarget: boolean;
  /** Who states the name, which is verified only if it was a user of this service. */
  readonly registration: 'user' | 'itself' | { readonly documentUrl: URL };
};
/** The form of a page: its action, its CSRF token, and the URL that its response redirects to. */
export type FormFrame = { readonly action: string; readonly proof: string; readonly leadsTo: string };

const STYLE_HASH = createHash('sha256').update(style).digest('base64');
const AUTOFOCUS = new Markup('autofocus');
const READONLY = new Markup('readonly');

/** How a page differs from the others: its brand, styles after the common ones, and images in data URLs. */
export type PageTheme = {
  readonly brand: Markup;
  readonly style: string;
  readonly hasImages: boolean;
  /** Of the texts of the page. */
  readonly language: string;
};

const WEFT_THEME: PageTheme = {
  brand: markup`${logo}<span>Weft</span>`,
  style: '',
  hasImages: false,
  language: 'en',
};

/**
 * A page without scripts. Its forms lead to its own origin, or to `leadsTo`. `styles` are added to the common
 * ones.
 */
export function renderPage(title: string, body: Markup, leadsTo = '', styles = '', language = 'en'): Page {
  return renderThemedPage(`${title} · Weft`, body, leadsTo, { ...WEFT_THEME, style: styles, language });
}

export function renderThemedPage(title: string, body: Markup, leadsTo: string, look: PageTheme): Page {
  const styles = style + look.style;
  const document = markup`<!doctype html>
<html lang="${look.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Markup(styles)}</style>
</head>
<body>
<main>
${look.brand === nothing ? nothing : markup`<div class="brand">${look.brand}</div>`}
${body}
</main>
</body>
</html>
`;
  // Browsers also apply form-action to redirects after a form.
  const formAction = leadsTo === '' ? "'self'" : `'self' ${leadsTo}`;
  const styleHash = look.style === '' ? STYLE_HASH : createHash('sha256').update(styles).digest('base64');
  const images = look.hasImages ? ' img-src data:;' : '';
  return {
    html: document.text,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}';${images} form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
      'x-frame-options': 'DENY',
      // With "no-referrer", browsers would send `Origin: null` with the forms.
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  };
}

/**
 * Isolated, so that a right-to-left name does not reorder the text around it. A client with a metadata
 * document is known by the host of the document.
 */
function renderName({ name, registration }: AskingClient): Markup {
  return typeof registration === 'string'
    ? markup`<bdi>${name}</bdi>`
    : markup`<bdi>${name}</bdi> (${registration.documentUrl.host})`;
}

function renderOrigin({ registration, isLocalTarget }: AskingClient): Markup {
  if (registration === 'user') return nothing;
  if (registration === 'itself')
    return markup`<p class="note">This app registered itself. Weft cannot verify its name.</p>`;
  return markup`<p class="note">This app is described by the website <b>${registration.documentUrl.host}</b>. Weft cannot verify its name.${isLocalTarget ? markup` It runs on your computer, where another program could pretend to be it.` : nothing}</p>`;
}

const renderDocument = ({ registration }: AskingClient): Markup =>
  typeof registration === 'string'
    ? nothing
    : markup`<div><dt>Described at</dt><dd>${registration.documentUrl.href}</dd></div>
`;

const renderHiddenField = (name: string, value: string): Markup =>
  markup`<input type="hidden" name="${name}" value="${value}">`;

const renderMessage = (message: string | null): Markup =>
  message === null ? nothing : markup`<p class="note bad" role="alert">${message}</p>`;

/** `account` is the email of a logged-in user who must log in again. */
export function loginPage(
  frame: FormFrame,
  client: AskingClient,
  { email, account, message }: { email: string; account: string | null; message: string | null },
): Page {
  const isEmailKnown = account !== null || email !== '';
  return renderPage(
    'Log in',
    markup`<h1>Log in</h1>
<p class="soft">to continue to <strong>${renderName(client)}</strong></p>
${renderMessage(message)}
<form method="post" action="${frame.action}">
${renderHiddenField('proof', frame.proof)}
<label class="field"><span>Email</span><input type="email" name="email" value="${account ?? email}" autocomplete="username" maxlength="254" required ${account !== null ? READONLY : isEmailKnown ? nothing : AUTOFOCUS}></label>
<label class="field"><span>Password</span><input type="password" name="password" autocomplete="current-password" maxlength="200" required ${isEmailKnown ? AUTOFOCUS : nothing}></label>
<div class="actions">
<button class="main" name="do" value="login">Log in</button>
<button name="do" value="deny" formnovalidate>Cancel</button>
</div>
</form>
${account === null ? nothing : renderAccountSwitch(frame)}
<p class="foot">${renderName(client)} never sees your password.</p>`,
    frame.leadsTo,
  );
}

export function renderConsentPage(
  frame: FormFrame,
  client: AskingClient,
  requestedScopes: readonly (Scope | 'openid')[],
  { email, isAdmin, message }: { email: string; isAdmin: boolean; message: string | null },
): Page {
  return renderPage(
    'Allow access',
    markup`<h1>${renderName(client)} wants to use your Weft</h1>
<p class="soft small">Allow this only if you have just asked ${renderName(client)} to connect.</p>
${renderOrigin(client)}
${renderMessage(message)}
<dl class="facts">
${renderDocument(client)}<div><dt>Your account</dt><dd>${email}</dd></div>
<div><dt>Redirects to</dt><dd>${client.target}</dd></div>
</dl>
<form method="post" action="${frame.action}">
${renderHiddenField('proof', frame.proof)}
<fieldset>
<legend>Requested permissions</legend>
${requestedScopes.map((scope) => renderScope(scope, isAdmin))}
</fieldset>
<div class="actions">
<button class="main" name="do" value="allow">Allow</button>
<button name="do" value="deny">Deny</button>
</div>
</form>
${renderAccountSwitch(frame)}`,
    frame.leadsTo,
  );
}

function renderScope(scope: Scope | 'openid', isAdmin: boolean): Markup {
  const { title, text, isGrave } = describeScopes[scope];
  if (adminScopes.has(scope) && !isAdmin) {
    return markup`<label class="scope off"><input type="checkbox" disabled><span><b>${title}</b><i>Only an administrator can allow this</i></span></label>
`;
  }
  const box =
    scope === 'openid'
      ? markup`<input type="checkbox" checked disabled>`
      : markup`<input type="checkbox" name="scope" value="${scope}" checked>`;
  return markup`<label class="${isGrave === true ? 'scope strong' : 'scope'}">${box}<span><b>${title}</b><i>${text}</i></span></label>
`;
}

const renderAccountSwitch = (frame: FormFrame): Markup =>
  markup`<form class="foot" method="post" action="${frame.action}">${renderHiddenField('proof', frame.proof)}<button class="link" name="do" value="switch">Use another account</button></form>`;

/** A page with a message; `detail` is for the developer of the client. */
export function renderNotePage(title: string, text: string, detail: string, language = 'en'): Page {
  return renderPage(
    title,
    markup`<h1>${title}</h1>
<p>${text}</p>
${detail === '' ? nothing : markup`<p class="foot"><code>${detail}</code></p>`}`,
    '',
    '',
    language,
  );
}

export function renderProblemPage(title: string, text: string, detail: string): Page {
  return renderPage(
    title,
    markup`<h1>${title}</h1>
<p>${text}</p>
<p class="soft small">You can close this page, go back to the app, and start again from there.</p>
${detail === '' ? nothing : markup`<p class="foot"><code>${detail}</code></p>`}`,
  );
}
