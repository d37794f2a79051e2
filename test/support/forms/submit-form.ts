import type { Call } from '../service.ts';

/** A form trigger, and a node that passes the submission on. */
export const createFormDefinition = (config: object, next: object[] = []) => ({
  nodes: [{ id: 'form', type: 'trigger', config: { triggerType: 'form', ...config } }, ...next],
  connections: (next as { id: string }[]).map(({ id }, i) => ({
    from: i === 0 ? 'form' : (next as { id: string }[])[i - 1]!.id,
    to: id,
  })),
});

/** Creates an active workflow with a form, and returns its id. */
export async function createFormWorkflow(call: Call, config: object, next: object[] = []): Promise<string> {
  const { status, text, body } = await call('POST', '/workflows', {
    body: { name: 'Form', status: 'active', definition: createFormDefinition(config, next) },
  });
  if (status !== 201) throw new Error(text);
  return (body as { id: string }).id;
}

/** The names and values of the hidden controls of a page. */
export function readHidden(html: string): Record<string, string> {
  return Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name, value]) => [
      name!,
      value!,
    ]),
  );
}

/** Submits a page as a browser does: its hidden controls, what was entered, and the button. */
export async function submitForm(
  url: string,
  entered: Record<string, string | string[] | Blob>,
  {
    html,
    action = 'submit',
    headers = {},
  }: { html?: string; action?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; html: string; headers: Headers }> {
  const page = html ?? (await (await fetch(url, { headers })).text());
  const body = new FormData();
  const all = { ...readHidden(page), ...entered, _action: action };
  for (const [name, value] of Object.entries(all)) for (const one of [value].flat()) body.append(name, one);
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
  return { status: response.status, html: await response.text(), headers: response.headers };
}
