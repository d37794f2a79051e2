import type { CDPSession, Page } from 'playwright-core';
import { expect } from 'vitest';
import { adminEmail, adminPassword } from '../../support/service.ts';
import type { TestEditor } from './editor.ts';

/** What a screen reader says about an element: the browser's own computed role, name and description. */
export type AccessibleElement = { role: string; name: string; description: string; value: string };

/** More controls than any page has between two that a task needs. */
const MAX_TABS = 150;

/** Also within a shadow root, as of the code editor. */
const FOCUSED =
  '(() => { let at = document.activeElement; while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement; return at; })()';

/**
 * Works on a page with keys only, and knows it only by what a screen reader would say: roles, names and
 * announcements, which are the browser's own accessibility tree and the changes of live regions.
 */
export class KeyboardUser {
  /** Presses of keys that move the focus or act; typed text counts once. */
  presses = 0;
  readonly page: Page;
  readonly #tree: CDPSession;

  private constructor(page: Page, tree: CDPSession) {
    this.page = page;
    this.#tree = tree;
  }

  /** Before the first navigation of the page. */
  static async create(page: Page): Promise<KeyboardUser> {
    await page.addInitScript(recordAnnouncements);
    return new KeyboardUser(page, await page.context().newCDPSession(page));
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      this.presses++;
      await this.page.keyboard.press(key);
    }
  }

  async type(text: string): Promise<void> {
    this.presses++;
    await this.page.keyboard.type(text);
  }

  /** The focused element; null: none, or the page as a whole. */
  async focused(): Promise<AccessibleElement | null> {
    const { result } = await this.#tree.send('Runtime.evaluate', { expression: FOCUSED });
    if (result.objectId === undefined) return null;
    const { nodes } = await this.#tree.send('Accessibility.getPartialAXTree', {
      objectId: result.objectId,
      fetchRelatives: false,
    });
    await this.#tree.send('Runtime.releaseObject', { objectId: result.objectId });
    const [node] = nodes;
    if (node === undefined || node.ignored) return null;
    const text = (given: { value?: unknown } | undefined): string =>
      typeof given?.value === 'string' ? given.value.trim() : '';
    return {
      role: text(node.role),
      name: text(node.name),
      description: text(node.description),
      value: text(node.value),
    };
  }

  /**
   * Presses Tab (or Shift+Tab) until the focus is on a control of this role and name. Each stop on the way
   * must have a name.
   */
  async tabTo(
    role: string,
    name: string | RegExp,
    key: 'Tab' | 'Shift+Tab' = 'Tab',
  ): Promise<AccessibleElement> {
    const passed: string[] = [];
    for (let i = 0; i < MAX_TABS; i++) {
      const focused = await this.focused();
      if (focused !== null && focused.role === role && matches(focused.name, name)) return focused;
      if (focused !== null) passed.push(`${focused.role} "${focused.name}"`);
      await this.press(key);
    }
    throw new Error(
      `No ${role} "${String(name)}" is reached by ${key}. Passed: ${[...new Set(passed)].join(', ')}`,
    );
  }

  /** Reaches a control and acts on it with a key. */
  async activate(role: string, name: string | RegExp, way?: 'Tab' | 'Shift+Tab'): Promise<void> {
    await this.tabTo(role, name, way);
    await this.press('Enter');
  }

  /** Reaches a field and replaces its text. */
  async fill(name: string | RegExp, text: string, role = 'textbox'): Promise<void> {
    await this.tabTo(role, name);
    await this.press('Control+a');
    await this.type(text);
    // Tab would accept a suggestion.
    if (await this.page.getByRole('listbox').isVisible()) await this.press('Escape');
  }

  /** Chooses an option of a native list by typing its beginning. */
  async choose(name: string | RegExp, option: string): Promise<void> {
    await this.tabTo('combobox', name);
    await this.type(option);
  }

  /** Waits until a live region announces this. */
  async announced(text: RegExp, timeout = 60_000): Promise<void> {
    await expect.poll(() => this.announcements(), { timeout }).toContainEqual(expect.stringMatching(text));
  }

  /** Waits until the focus is on an element of this role and name, without a key. */
  async focusIn(role: string, name: string | RegExp, timeout = 30_000): Promise<void> {
    const isThere = async (): Promise<boolean> => {
      const focused = await this.focused();
      return focused !== null && focused.role === role && matches(focused.name, name);
    };
    await expect.poll(isThere, { timeout, message: `${role} ${String(name)} has the focus` }).toBe(true);
  }

  /** The page received no pointer event; it is closed. */
  async end(): Promise<void> {
    expect(await this.pointerEvents()).toBe(0);
    await this.page.context().close();
  }

  /** What live regions have announced, the oldest first. */
  announcements(): Promise<string[]> {
    return this.page.evaluate(() => (globalThis as unknown as { announced: string[] }).announced);
  }

  /** Pointer events that the page received: none, or something used the mouse. */
  pointerEvents(): Promise<number> {
    return this.page.evaluate(() => (globalThis as unknown as { pointed: number }).pointed);
  }
}

/** Signs in as the administrator, with keys only. */
export async function openSignedIn({ browser, origin }: TestEditor, path = '/'): Promise<KeyboardUser> {
  const { page } = await browser.open();
  const user = await KeyboardUser.create(page);
  await page.goto(`${origin}${path}`);
  await page.getByRole('textbox', { name: 'Email' }).waitFor();
  await user.fill('Email', adminEmail);
  await user.fill('Password', adminPassword);
  await user.press('Enter');
  await page.getByRole('main').waitFor();
  return user;
}

const matches = (name: string, wanted: string | RegExp): boolean =>
  typeof wanted === 'string' ? name === wanted : wanted.test(name);

/** Runs in the page: records the texts that live regions get, and the pointer events. */
function recordAnnouncements(): void {
  const kept = globalThis as unknown as { announced: string[]; pointed: number };
  kept.announced = [];
  kept.pointed = 0;
  addEventListener('pointerdown', () => kept.pointed++, { capture: true });
  const regions = '[aria-live=polite], [aria-live=assertive], [role=status], [role=alert], [role=log]';
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      const element = target instanceof Element ? target : target.parentElement;
      const region =
        element?.closest(regions) ??
        [...addedNodes].find((node): node is Element => node instanceof Element && node.matches(regions));
      const text = region?.textContent?.trim() ?? '';
      if (text !== '' && kept.announced.at(-1) !== text) kept.announced.push(text);
    }
  }).observe(document, { subtree: true, childList: true, characterData: true });
}
