import { createHash } from 'node:crypto';
import { adminEmail, adminPassword } from '../support/service.ts';
import { Browser, type BrowserResponse } from '../oauth/browser.ts';

export const CALLBACK = 'https://app.example.com/cb';
export const VERIFIER = 'a-verifier-that-is-long-enough-for-the-specification';

/** The parameters of a client's authorization request. */
export function createAuthorizationQuery(clientId: string, scope: string): Record<string, string> {
  return {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    scope,
    state: 'st',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  };
}

/** A user of the OAuth pages in a browser. Records the buttons of the pages, and which were pressed. */
export class OAuthUser {
  readonly #browser: Browser;
  readonly #offered = new Set<string>();
  readonly #pressed = new Set<string>();

  /** `url` is that of the service, ending with /v1. */
  constructor(url: string) {
    this.#browser = new Browser(new URL(url).origin);
  }

  async open(url: string): Promise<BrowserResponse> {
    return this.#note(await this.#browser.open(url));
  }

  async press(
    page: BrowserResponse,
    button: string,
    values: Record<string, string> = {},
  ): Promise<BrowserResponse> {
    this.#pressed.add(button);
    return this.#note(await this.#browser.press(page, button, values));
  }

  /** Logs in where that is asked for, and allows everything; the authorization code. */
  async allow({ clientId, scope }: { clientId: string; scope: string }): Promise<string> {
    const query = new URLSearchParams(createAuthorizationQuery(clientId, scope));
    const page = await this.open(`/oauth/authorize?${query.toString()}`);
    const consent = hasLogin(page) ? await this.logIn(page) : page;
    return readAuthorizationCode(await this.press(consent, 'allow'));
  }

  logIn(page: BrowserResponse, password = adminPassword): Promise<BrowserResponse> {
    return this.press(page, 'login', { email: adminEmail, password });
  }

  /** The buttons of the pages that were seen, but never pressed. */
  unpressed(): string[] {
    return [...this.#offered].filter((button) => !this.#pressed.has(button));
  }

  #note(page: BrowserResponse): BrowserResponse {
    for (const { buttons } of page.forms) for (const button of buttons) this.#offered.add(button);
    return page;
  }
}

export const hasLogin = (page: BrowserResponse): boolean =>
  page.forms.some(({ buttons }) => buttons.includes('login'));

export function readAuthorizationCode({ left, text }: BrowserResponse): string {
  const code = left?.searchParams.get('code');
  if (code == null) throw new Error(`There is no code in ${left?.href ?? text}`);
  return code;
}
