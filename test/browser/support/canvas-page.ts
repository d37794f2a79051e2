import type { BrowserContext, Locator, Page } from 'playwright-core';
import type { Call } from '../../support/service.ts';
import { collectPageErrors } from './chromium.ts';
import type { TestEditor } from './editor.ts';
import { signIn } from './sign-in.ts';

type Definition = {
  nodes: { id: string; type: string; name?: string; config?: Record<string, unknown> }[];
  connections: { from: string; to: string; sourcePort?: string }[];
};

export type StoredWorkflow = {
  id: string;
  version: number;
  status: string;
  active_version: number | null;
  definition: Definition;
};

export type CanvasPage = {
  page: Page;
  context: BrowserContext;
  pageErrors: string[];
  id: string;
  board: Locator;
  readonly node: (id: string) => Locator;
  /** Of the canvas: `from.port → to`. */
  readonly edges: () => Promise<string[]>;
  readonly status: () => Locator;
  readonly stored: () => Promise<StoredWorkflow>;
  /** Waits until the page says that everything is saved. */
  readonly saved: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function makeWorkflow(
  call: Call,
  definition: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Promise<string> {
  const { status, body, text } = await call('POST', '/workflows', {
    body: { name: 'Orders', definition, ...more },
  });
  if (status !== 201) throw new Error(text);
  return (body as { id: string }).id;
}

/** Where the tabs of a test file are: what one has loaded the next one has. */
const kept = new WeakMap<TestEditor, BrowserContext>();

/** Opens a workflow on the canvas, signed in. `isAlone`: in a separate browser that the test may change. */
export async function openCanvas(
  editor: TestEditor,
  call: Call,
  id: string,
  { context: given, isAlone = false }: { context?: BrowserContext; isAlone?: boolean } = {},
): Promise<CanvasPage> {
  const known = given ?? (isAlone ? undefined : kept.get(editor));
  let page: Page;
  if (known === undefined) {
    ({ page } = await editor.browser.open());
    if (!isAlone) kept.set(editor, page.context());
  } else page = await known.newPage();
  const context = page.context();
  const pageErrors = collectPageErrors(page);
  if (known === undefined) await signIn(page, editor.origin, `/workflows/${id}`);
  else await page.goto(`${editor.origin}/workflows/${id}`);
  const board = page.locator('.editor .canvas__board').first();
  await board.waitFor();
  return {
    page,
    context,
    pageErrors,
    id,
    board,
    close: () => (isAlone ? context.close() : page.close()),
    node: (node) => page.locator(`.react-flow__node[data-id="${node}"]`),
    edges: () =>
      page.locator('.react-flow__edge').evaluateAll((all) =>
        all
          .map((one) => JSON.parse(one.getAttribute('data-id') ?? '[]') as string[])
          .map(([from, port, to]) => `${from}.${port} → ${to}`)
          .toSorted(),
      ),
    status: () => page.locator('.save'),
    async stored() {
      return (await call('GET', `/workflows/${id}`)).body as StoredWorkflow;
    },
    async saved() {
      await page
        .locator('.save')
        .filter({ hasText: /^Saved$/ })
        .waitFor();
    },
  };
}

/** From the middle of one thing to the middle of another, as a hand does it. */
export async function drag(page: Page, from: Locator, to: Locator | { x: number; y: number }): Promise<void> {
  const start = await getCenter(from);
  const end = 'x' in to ? to : await getCenter(to);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2, { steps: 4 });
  await page.mouse.move(end.x, end.y, { steps: 4 });
  await page.mouse.up();
}

/** Of an element that no longer moves: nodes are placed again when their sizes are known. */
export async function getCenter(of: Locator): Promise<{ x: number; y: number }> {
  await of.waitFor();
  await of.evaluate(async (element) => {
    const read = (): string => JSON.stringify(element.getBoundingClientRect());
    for (let [frames, last] = [0, '']; frames < 600 && last !== read(); frames++) {
      last = read();
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }
  });
  const box = await of.boundingBox();
  if (box === null) throw new Error('It is not in sight.');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Selects a node and sets its whole configuration, as JSON in the panel. */
export async function configure({ page, node }: CanvasPage, id: string, config: object): Promise<void> {
  await node(id).click();
  await page.locator(`#node-panel[data-node="${id}"]`).waitFor();
  const asJson = page.getByRole('button', { name: 'Edit as JSON' });
  if ((await asJson.count()) > 0) await asJson.click();
  await page.getByRole('textbox', { name: 'Configuration as JSON' }).fill(JSON.stringify(config));
}
