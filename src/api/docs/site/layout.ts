import { logo } from '../../oauth/logo.ts';
import { markup, nothing, type Markup } from '../../oauth/markup.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
export type Entry = { readonly id: string; readonly label: string; readonly method?: Method };
export type Page = {
  /** The path below `/docs`: empty for the first page, `/rest/workflows`. */
  readonly path: string;
  readonly title: string;
  /** The heading of its navigation group. */
  readonly part: string;
  /** The entries below it in the navigation. */
  readonly entries: readonly Entry[];
  readonly body: () => Markup;
};

export type Site = {
  /** The path of the API, such as `/v1`. */
  readonly base: string;
  /** The path of the site, such as `/v1/docs`. */
  readonly root: string;
  readonly version: string;
  readonly pages: readonly Page[];
};

/**
 * Renders a page with its navigation. It works without the script, which only adds the filter and the copy
 * buttons.
 */
export function layout(site: Site, page: Page): string {
  const title = page.path === '' ? 'Weft documentation' : `${page.title} · Weft documentation`;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${site.root}/style.css">
<script src="${site.root}/script.js" defer></script>
</head>
<body id="top">
<a class="skip" href="#content">Skip to content</a>
<header class="bar"><a class="brand" href="${site.root}">${logo}<span>Weft</span></a><a class="menu" href="#nav">Menu</a></header>
<nav id="nav" aria-label="Documentation">
<div class="nav-head"><a class="brand" href="${site.root}">${logo}<span>Weft</span> <small>v1</small></a><a class="close" href="#top">Close</a></div>
<p class="filter" hidden><label for="page-filter">Filter</label><input id="page-filter" type="search" placeholder="Filter" autocomplete="off" spellcheck="false"></p>
${groupPages(site).map(
  ({ name, pages }) =>
    markup`<div class="part"><p class="part-name">${name}</p><ul>${pages.map((one) => renderPageItem(site, one, one === page))}</ul></div>`,
)}
</nav>
<main id="content" tabindex="-1">
${page.body()}
<footer><p>Weft ${site.version}. Generated from the schemas of the service. Machine-readable documents: <a href="${site.base}/openapi.json">OpenAPI</a>, <a href="${site.base}/asyncapi.json">AsyncAPI</a>, <a href="${site.base}/schema.graphql">GraphQL</a>.</p></footer>
</main>
</body>
</html>
`.text;
}

function groupPages({ pages }: Site): { name: string; pages: readonly Page[] }[] {
  const names = [...new Set(pages.map(({ part }) => part))];
  return names.map((name) => ({ name, pages: pages.filter((page) => page.part === name) }));
}

function renderPageItem(site: Site, page: Page, isCurrent: boolean): Markup {
  const address = `${site.root}${page.path}`;
  const link = markup`<a href="${address}"${isCurrent ? markup` aria-current="page"` : nothing}>${page.title}</a>`;
  if (page.entries.length === 0) return markup`<li>${link}</li>`;
  const entries = page.entries.map(
    ({ id, label, method }) =>
      markup`<li><a href="${isCurrent ? '' : address}#${id}"><span>${label}</span>${method === undefined ? nothing : renderBadge(method, true)}</a></li>`,
  );
  return markup`<li>${link}<ul class="entries"${isCurrent ? nothing : markup` data-folded`}>${entries}</ul></li>`;
}

/** A colored method label. */
export function renderBadge(method: Method, isSmall = false): Markup {
  const text = isSmall && method === 'DELETE' ? 'DEL' : method;
  return markup`<b class="method ${method.toLowerCase()}">${text}</b>`;
}

/** A heading with an anchor link. */
export function renderHeading(level: 1 | 2 | 3, id: string, text: Markup | string): Markup {
  const link = markup`${text}<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
  if (level === 1) return markup`<h1 id="${id}">${text}</h1>`;
  return level === 2 ? markup`<h2 id="${id}">${link}</h2>` : markup`<h3 id="${id}">${link}</h3>`;
}

/** Text on the left, code on the right. */
export function renderSection(words: Markup, code: Markup | null): Markup {
  return code === null
    ? markup`<section class="row"><div class="words">${words}</div></section>`
    : markup`<section class="row"><div class="words">${words}</div><div class="codes">${code}</div></section>`;
}
