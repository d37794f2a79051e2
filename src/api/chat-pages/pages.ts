import { createHash } from 'node:crypto';
import {
  MAX_CHAT_BYTES,
  MAX_CHAT_FILES,
  MAX_CHAT_TEXT_LENGTH,
  type ChatPage,
} from '../../contract/chat/chat-page.ts';
import type { ChatTexts } from '../../contract/chat/chat-texts.ts';
import type { OpenChatPage } from '../../services/chat/chat-pages.service.ts';
import { renderBrandStyle } from '../forms/form-style.ts';
import { markup, Markup, nothing } from '../oauth/markup.ts';
import type { Page } from '../oauth/pages.ts';
import { style } from '../oauth/style.ts';
import { chatScript } from './script.ts';
import { chatStyle } from './style.ts';

const toHash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const SCRIPT_HASH = toHash(chatScript);

/**
 * A chat. Its document is sandboxed without an origin: it has neither the cookies nor the storage of the
 * service, and cannot act for a user. `url`: of the page. `newChatUrl`: of another conversation.
 */
export function renderChatPage(
  { page, token, history }: OpenChatPage,
  texts: ChatTexts,
  { url, newChatUrl }: { url: string; newChatUrl: string },
): Page {
  const { brand } = page;
  const styles = style + chatStyle + (brand.colour === null ? '' : renderBrandStyle(brand.colour));
  const config = {
    token,
    history,
    texts,
    messages: `${url}/messages`,
    maxFiles: MAX_CHAT_FILES,
    maxBytes: MAX_CHAT_BYTES,
  };
  // Inside a script element, only "<" could end it.
  const data = JSON.stringify(config).replaceAll('<', String.raw`\u003c`);
  const document = markup`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.title}</title>
<style>${new Markup(styles)}</style>
</head>
<body>
<main>
<header>
${renderBrand(page, texts)}
<h1>${page.title}</h1>
<a href="${newChatUrl}">${texts.newChat}</a>
</header>
<div class="log" id="frame" role="log" aria-label="${texts.conversation}" tabindex="0">
<ul id="log">
${page.welcome === null ? nothing : markup`<li class="assistant"><p>${page.welcome}</p></li>`}
</ul>
</div>
<p class="status" id="status" role="status"></p>
<form>
${page.acceptsFiles ? markup`<label class="files">${texts.files} <input type="file" name="files" multiple></label>` : nothing}
<label class="visually-hidden" for="text">${texts.message}</label>
<textarea id="text" name="text" rows="2" maxlength="${String(MAX_CHAT_TEXT_LENGTH)}" placeholder="${texts.message}"></textarea>
<button class="main">${texts.send}</button>
</form>
</main>
<script type="application/json" id="config">${new Markup(data)}</script>
<script type="module">${new Markup(chatScript)}</script>
</body>
</html>
`;
  const ancestors = page.embedOrigins.length === 0 ? "'none'" : page.embedOrigins.join(' ');
  return {
    html: document.text,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox',
        "default-src 'none'",
        `script-src ${SCRIPT_HASH}`,
        `style-src ${toHash(styles)}`,
        `connect-src ${new URL(url).origin}`,
        ...(brand.logo === null ? [] : ['img-src data:']),
        `frame-ancestors ${ancestors}`,
        "base-uri 'none'",
        "form-action 'none'",
      ].join('; '),
      ...(page.embedOrigins.length === 0 && { 'x-frame-options': 'DENY' }),
      // The URL has the id of the conversation.
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  };
}

function renderBrand({ brand: { name, logo } }: ChatPage, texts: ChatTexts): Markup {
  if (name === null && logo === null) return nothing;
  const image =
    logo === null ? nothing : markup`<img src="${logo}" alt="${name === null ? texts.logo : ''}">`;
  return markup`<div class="brand">${image}<span>${name ?? ''}</span></div>`;
}
