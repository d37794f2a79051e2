import type { CreateWorkflowInput, Workflow } from 'weft-client';
import { t } from '../../i18n/index.ts';

/** The fields of a workflow in a file and in a copy: those of a create request. */
export type WorkflowFile = Pick<Workflow, 'name' | 'description' | 'definition' | 'settings' | 'tags'>;

/** Omits tags of `weft apply --group`, because `--prune` must not delete a copy. */
export function toWorkflowFile({ name, description, definition, settings, tags }: Workflow): WorkflowFile {
  return { name, description, definition, settings, tags: tags.filter((tag) => !tag.startsWith('apply:')) };
}

const FIELDS = ['name', 'description', 'definition', 'settings', 'tags'] as const;
/** More than this is no workflow; the service takes 5 MiB. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024;

/** Reads one workflow or a list. @throws {Error} with a message for the user. */
export function readWorkflowFile(text: string): CreateWorkflowInput[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(
      t('Not valid JSON: {{reason}}', { reason: error instanceof Error ? error.message : String(error) }),
      {
        cause: error,
      },
    );
  }
  const all = Array.isArray(value) ? (value as unknown[]) : [value];
  if (all.length === 0) throw new Error(t('The file contains no workflows.'));
  return all.map((one, i) =>
    readOne(one, all.length === 1 ? t('The workflow') : t('Entry {{number}}', { number: i + 1 })),
  );
}

function readOne(value: unknown, subject: string): CreateWorkflowInput {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(t('{{subject}} must be an object with a name and a definition.', { subject }));
  const given = value as Record<string, unknown>;
  // A bare definition, as one copies it from a page of documentation.
  const whole =
    'nodes' in given && !('definition' in given)
      ? { name: t('Imported workflow'), definition: given }
      : given;
  if (typeof whole['name'] !== 'string' || whole['name'].trim() === '')
    throw new Error(t('{{subject}} has no name.', { subject }));
  if (typeof whole['definition'] !== 'object' || whole['definition'] === null)
    throw new Error(t('{{subject}} has no definition.', { subject }));
  // Other fields that a response contains (id, version, status …) belong to the original workflow.
  return Object.fromEntries(
    FIELDS.filter((field) => whole[field] !== undefined).map((field) => [field, whole[field]]),
  ) as CreateWorkflowInput;
}
