import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { script } from './script.ts';
import { style } from './style.ts';

const EXAMPLE = `# Press Ctrl+Enter to run this operation.
{
  workflows(filter: { limit: 5 }) {
    id
    name
    status
    executions(limit: 3) {
      id
      status
      startTime
      duration
    }
  }
}
`;

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Weft GraphQL</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>Weft <span>GraphQL</span></h1>
<form id="login" hidden>
<input id="email" type="email" autocomplete="username" placeholder="Email (leave empty for a token or key)" aria-label="Email">
<input id="password" type="password" autocomplete="current-password" placeholder="Password, token or API key" aria-label="Password, token or API key" required>
<button>Log in</button>
</form>
<form id="known" hidden><span id="who"></span> <button type="button" id="leave">Forget</button></form>
<button type="button" id="run" class="main" title="Ctrl+Enter">Run</button>
</header>
<main>
<section><h2><label for="query">Operation</label></h2><textarea id="query" spellcheck="false" autocapitalize="off">${EXAMPLE}</textarea>
<h2><label for="variables">Variables</label></h2><textarea id="variables" spellcheck="false" autocapitalize="off">{}</textarea></section>
<section><h2>Result <span id="status" class="grow" role="status"></span></h2><pre id="result" tabindex="0" aria-label="Result"></pre></section>
<section><h2>Schema <input id="search" type="search" placeholder="Find a field" aria-label="Find a field"></h2><div id="schema"></div></section>
</main>
<script>${script}</script>
</body>
</html>
`;

const createHash256 = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Allows only the script and style of the page and requests to this origin. */
const POLICY = [
  "default-src 'none'",
  `script-src ${createHash256(script)}`,
  `style-src ${createHash256(style)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The GraphQL explorer. It loads nothing from other servers and needs no credential. */
export function sendExplorer(reply: FastifyReply): FastifyReply {
  return reply
    .header('content-security-policy', POLICY)
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(html);
}
