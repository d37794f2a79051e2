type Cookie = { value: string; path: string; attributes: string[] };

export type Form = { action: string; fields: [string, string][]; buttons: string[] };
export type BrowserResponse = {
  status: number;
  url: string;
  headers: Headers;
  text: string;
  forms: Form[];
  /** Where the last redirect led, when that is another origin. */
  left: URL | null;
};

let count = 0;
/** Another one each time: the limits of one address are not what most tests are about. */
export function createNextAddress(): string {
  count++;
  return `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`;
}

/** A browser without scripts: cookies by path, same-origin redirects, forms as in the page. */
export class Browser {
  readonly cookies = new Map<string, Cookie>();
  readonly origin: string;
  constructor(origin: string) {
    this.origin = origin;
  }

  async open(url: string, init: RequestInit = {}): Promise<BrowserResponse> {
    let at = new URL(url, this.origin);
    let next: RequestInit = init;
    for (let hops = 0; hops < 10; hops++) {
      const response = await fetch(at, {
        ...next,
        redirect: 'manual',
        headers: {
          accept: 'text/html',
          'x-forwarded-for': createNextAddress(),
          ...(next.headers as object),
          cookie: this.#cookiesFor(at),
        },
      });
      this.#keep(response.headers.getSetCookie());
      const text = await response.text();
      const location = response.headers.get('location');
      const seen = { status: response.status, url: at.href, headers: response.headers, text };
      if (location === null) return { ...seen, forms: parseForms(text), left: null };
      const to = new URL(location, at);
      if (to.origin !== this.origin) return { ...seen, forms: [], left: to };
      at = to;
      next = {};
    }
    throw new Error('too many redirects');
  }

  /** Presses a button: `pick` says which of the checked boxes stay checked. */
  async press(
    page: BrowserResponse,
    button: string,
    values: Record<string, string> = {},
    pick: (scope: string) => boolean = () => true,
  ): Promise<BrowserResponse> {
    const form = page.forms.find((one) => one.buttons.includes(button));
    if (form === undefined) throw new Error(`no button ${button} in: ${page.text.slice(-1500)}`);
    const body = new URLSearchParams();
    for (const [name, value] of form.fields) {
      if (name === 'scope' && !pick(value)) continue;
      body.append(name, values[name] ?? value);
    }
    body.set('do', button);
    return this.open(form.action, { method: 'POST', body, headers: { origin: this.origin } });
  }

  #cookiesFor(url: URL): string {
    return [...this.cookies]
      .filter(([, { path }]) => url.pathname === path || path === '/' || url.pathname.startsWith(`${path}/`))
      .map(([key, { value }]) => `${key.split(' ')[0]}=${value}`)
      .join('; ');
  }

  #keep(lines: string[]): void {
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(/; */);
      const mark = pair.indexOf('=');
      const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
      const key = `${pair.slice(0, mark)} ${path}`;
      const isGone = attributes.some((one) => /^expires=Thu, 01 Jan 1970/i.test(one));
      if (isGone) this.cookies.delete(key);
      else this.cookies.set(key, { value: pair.slice(mark + 1), path, attributes });
    }
  }
}

function parseForms(text: string): Form[] {
  return [...text.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].map(([, head = '', inside = '']) => ({
    action: attribute(head, 'action'),
    fields: [...inside.matchAll(/<input([^>]*)>/g)]
      .map(([, tag = '']) => tag)
      .filter((tag) => !/ disabled/.test(tag) && (!/type="checkbox"/.test(tag) || / checked/.test(tag)))
      .map((tag): [string, string] => [attribute(tag, 'name'), attribute(tag, 'value')]),
    buttons: [...inside.matchAll(/<button([^>]*)>/g)].map(([, tag = '']) => attribute(tag, 'value')),
  }));
}

function attribute(tag: string, name: string): string {
  const text = new RegExp(` ${name}="([^"]*)"`).exec(` ${tag}`)?.[1] ?? '';
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
