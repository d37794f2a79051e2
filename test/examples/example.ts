import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Call } from '../support/service.ts';

/** The body of a create request from examples/. */
export function readExample(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, '../../examples', `${name}.json`), 'utf8')) as Record<string, unknown>;
}

/** Sets the secrets, creates and activates the example, and returns its id. */
export async function install(api: Call, name: string, secrets: Record<string, string>): Promise<string> {
  for (const [secret, value] of Object.entries(secrets)) {
    const put = await api('PUT', `/secrets/${secret}`, { body: { value } });
    if (put.status >= 300) throw new Error(put.text);
  }
  const created = await api('POST', '/workflows', { body: readExample(name) });
  if (created.status !== 201) throw new Error(created.text);
  const { id, issues } = created.body as { id: string; issues: unknown[] };
  if (issues.length > 0) throw new Error(JSON.stringify(issues));
  const active = await api('PUT', `/workflows/${id}`, { body: { status: 'active' } });
  if (active.status !== 200) throw new Error(active.text);
  return id;
}
