import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

/**
 * The path of Chromium: `WEFT_TEST_CHROMIUM`, or a Debian package; null without one. The headless shell is
 * the same browser without the windows of its own interface, and needs about half the CPU time.
 */
export const chromiumPath: string | null =
  [process.env['WEFT_TEST_CHROMIUM'] ?? '', '/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(
    (file) => file !== '' && existsSync(file),
  ) ?? null;

/**
 * Whether tests of the page are left out: without a browser, and then plainly so. In CI that is a failure,
 * because it would otherwise go unnoticed.
 */
export const isChromiumMissing: boolean = chromiumPath === null && process.env['CI'] !== 'true';

export type Size = { width: number; height: number };

export type TestBrowser = {
  /** A page with an empty profile, signed out. Its errors are added to `pageErrors`. */
  open(options?: {
    size?: Size;
    isDark?: boolean;
    /** The page's certificate is its own. */
    isSelfSigned?: boolean;
    /** False: the browser runs no scripts of pages. */
    hasScripts?: boolean;
  }): Promise<{ page: Page; context: BrowserContext; pageErrors: string[] }>;
  close(): Promise<void>;
};

/** A Chromium without a screen and without a way to the internet. */
export async function openBrowser(): Promise<TestBrowser> {
  if (chromiumPath === null)
    throw new Error(
      'There is no Chromium: install the package chromium-headless-shell or chromium, or set WEFT_TEST_CHROMIUM.',
    );
  const profile = mkdtempSync(path.join(tmpdir(), 'weft-chromium-'));
  const browser: Browser = await chromium.launch({
    executablePath: chromiumPath,
    headless: true,
    env: { ...process.env, HOME: profile, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
  return {
    async open({
      size = { width: 1440, height: 900 },
      isDark = false,
      isSelfSigned = false,
      hasScripts = true,
    } = {}) {
      const context = await browser.newContext({
        viewport: size,
        ignoreHTTPSErrors: isSelfSigned,
        javaScriptEnabled: hasScripts,
        colorScheme: isDark ? 'dark' : 'light',
        reducedMotion: 'reduce',
        locale: 'en-GB',
        timezoneId: 'UTC',
      });
      context.setDefaultTimeout(30_000);
      const page = await context.newPage();
      return { page, context, pageErrors: collectPageErrors(page) };
    },
    async close() {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** A list that fills with what goes wrong in the page. */
export function collectPageErrors(page: Page): string[] {
  const pageErrors: string[] = [];
  page.on('pageerror', (error) => pageErrors.push(String(error)));
  page.on('console', (message) => {
    // The browser's own message about a response other than 2xx is not an error of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      pageErrors.push(message.text());
  });
  return pageErrors;
}
