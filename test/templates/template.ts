import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Call } from '../support/service.ts';

const folder = path.join(import.meta.dirname, '../../templates');

export type GalleryTemplate = {
  templateName: string;
  version: string;
  description: string;
  parameters: { name: string; type: string; required: boolean; description: string; options?: unknown[] }[];
  workflow: { name: string; description: string; definition: { nodes: { id: string; type: string }[] } };
};

/** The files in templates/. */
export function listGalleryFiles(): { file: string; template: GalleryTemplate }[] {
  return readdirSync(folder).map((file) => ({
    file,
    template: JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as GalleryTemplate,
  }));
}

/**
 * Sets the secrets, creates a workflow from the template without errors, activates it, and returns its id.
 */
export async function install(
  api: Call,
  name: string,
  parameters: Record<string, unknown>,
  secrets: Record<string, string>,
): Promise<string> {
  for (const [secret, value] of Object.entries(secrets)) {
    const put = await api('PUT', `/secrets/${secret}`, { body: { value } });
    if (put.status >= 300) throw new Error(put.text);
  }
  const made = await api('POST', `/templates/${name}/instantiate`, { body: { parameters } });
  if (made.status !== 201) throw new Error(made.text);
  const { id, issues } = made.body as { id: string; issues: unknown[] };
  if (issues.length > 0) throw new Error(JSON.stringify(issues));
  const active = await api('PUT', `/workflows/${id}`, { body: { status: 'active' } });
  if (active.status !== 200) throw new Error(active.text);
  return id;
}
