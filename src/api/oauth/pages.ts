import { createHash } from 'node:crypto';
import type { Scope } from '../../contract/scopes.ts';
import { Markup, markup, nothing } from './markup.ts';
import { describeScopes } from './scope-descriptions.ts';
import { style } from './style.ts';

export type Page = { readonly html: string; readonly headers: Readonly<Record<string, string>> };

/** Who asks. `target` is where the person is sent afterwards. */
export type AskingClient = {
  readonly name: string;
  readonly target: string;
  /** False: it registered itself, so that its name is only what it says. */
  readonly isRegisteredByUser: boolean;
};
/** Of a form: where it goes, what shows that it is ours, and the addresses that its answer may lead to. */
export type FormFrame = { readonly action: string; readonly proof: string; readonly leadsTo: string };

const STYLE_HASH = createHash('sha256').update(style).digest('base64');
const MARK = new Markup(
  '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" aria-hidden="true"><path d="M3 7h5m4 0h9M3 17h9m4 0h5M7 3v9m0 4v5m10-18v5m0 4v9"/></svg>',
);
const AUTOFOCUS = new Markup('autofocus');
const READONLY = new Markup('readonly');

function page(title: string, body: Markup, leadsTo = ''): Page {
  const document = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Weft</title>
<style>${new Markup(style)}</style>
</head>
<body>
<main>
<div class="brand">${MARK}<span>Weft</span></div>
${body}
</main>
</body>
</html>
`;
  // Browsers hold the redirects behind a form to form-action, too.
  const formAction = leadsTo === '' ? "'self'" : `'self' ${leadsTo}`;
  return {
    html: document.text,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
      'x-frame-options': 'DENY',
      // Not "no-referrer": a browser would then send `Origin: null` with the forms.
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  };
}

/** Set apart, so that a name written from right to left does not turn the words around it. */
const nameOf = (client: AskingClient): Markup => markup`<bdi>${client.name}</bdi>`;

const hidden = (name: string, value: string): Markup =>
  markup`<input type="hidden" name="${name}" value="${value}">`;

const trouble = (message: string | null): Markup =>
  message === null ? nothing : markup`<p class="note bad" role="alert">${message}</p>`;

/** `account` is who is logged in already and has to show it again. */
export function loginPage(
  frame: FormFrame,
  client: AskingClient,
  { email, account, message }: { email: string; account: string | null; message: string | null },
): Page {
  const isEmailKnown = account !== null || email !== '';
  return page(
    'Log in',
    markup`<h1>Log in</h1>
<p class="soft">to continue to <strong>${nameOf(client)}</strong></p>
${trouble(message)}
<form method="post" action="${frame.action}">
${hidden('proof', frame.proof)}
<label class="field"><span>Email</span><input type="email" name="email" value="${account ?? email}" autocomplete="username" maxlength="254" required ${account !== null ? READONLY : isEmailKnown ? nothing : AUTOFOCUS}></label>
<label class="field"><span>Password</span><input type="password" name="password" autocomplete="current-password" maxlength="200" required ${isEmailKnown ? AUTOFOCUS : nothing}></label>
<div class="actions">
<button class="main" name="do" value="login">Log in</button>
<button name="do" value="deny" formnovalidate>Cancel</button>
</div>
</form>
${account === null ? nothing : otherAccount(frame)}
<p class="foot">${nameOf(client)} never sees your password.</p>`,
    frame.leadsTo,
  );
}

export function consentPage(
  frame: FormFrame,
  client: AskingClient,
  asked: readonly (Scope | 'openid')[],
  { email, isAdmin, message }: { email: string; isAdmin: boolean; message: string | null },
): Page {
  return page(
    'Allow access',
    markup`<h1>${nameOf(client)} wants to use your Weft</h1>
<p class="soft small">Allow this only if you have just asked ${nameOf(client)} to connect.</p>
${client.isRegisteredByUser ? nothing : markup`<p class="note">This app has registered itself. Weft knows nothing of it but the name that it gives.</p>`}
${trouble(message)}
<dl class="facts">
<div><dt>Your account</dt><dd>${email}</dd></div>
<div><dt>Sends you to</dt><dd>${client.target}</dd></div>
</dl>
<form method="post" action="${frame.action}">
${hidden('proof', frame.proof)}
<fieldset>
<legend>It will be able to</legend>
${asked.map((scope) => scopeRow(scope, isAdmin))}
</fieldset>
<div class="actions">
<button class="main" name="do" value="allow">Allow</button>
<button name="do" value="deny">Deny</button>
</div>
</form>
${otherAccount(frame)}`,
    frame.leadsTo,
  );
}

function scopeRow(scope: Scope | 'openid', isAdmin: boolean): Markup {
  const { title, text, isGrave } = describeScopes[scope];
  if (scope === 'admin' && !isAdmin) {
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

const otherAccount = (frame: FormFrame): Markup =>
  markup`<form class="foot" method="post" action="${frame.action}">${hidden('proof', frame.proof)}<button class="link" name="do" value="switch">Use another account</button></form>`;

/** What went wrong where nobody may be sent back to the client. */
/** Something to read; `detail` is what somebody else needs to know. */
export function notePage(title: string, text: string, detail: string): Page {
  return page(
    title,
    markup`<h1>${title}</h1>
<p>${text}</p>
${detail === '' ? nothing : markup`<p class="foot"><code>${detail}</code></p>`}`,
  );
}

export function problemPage(title: string, text: string, detail: string): Page {
  return page(
    title,
    markup`<h1>${title}</h1>
<p>${text}</p>
<p class="soft small">You can close this page, go back to the app, and start again from there.</p>
${detail === '' ? nothing : markup`<p class="foot"><code>${detail}</code></p>`}`,
  );
}
