import type { CreateWorkflowInput, UpdateWorkflowInput, Workflow, WorkflowSummary } from 'weft-client';
import { useMutationWithToast } from '../use-mutation-with-toast.ts';
import { client } from '../client.ts';
import { downloadJson, toFileName } from '../download.ts';
import { toWorkflowFile, type WorkflowFile } from './workflow-file.ts';
import { t } from '../../i18n/index.ts';

const changes = [['workflows']];

export function useCreateWorkflow(onDone: (workflow: Workflow) => void) {
  return useMutationWithToast((input: CreateWorkflowInput) => client.workflows.create(input), {
    changes,
    onDone,
  });
}

/** Without `failed`, the caller shows the error. */
export function useUpdateWorkflow(onDone?: (workflow: Workflow) => void, failed?: string) {
  return useMutationWithToast(
    ({ id, ...input }: UpdateWorkflowInput & { id: string }) => client.workflows.update(id, input),
    { changes, onDone, failed },
  );
}

export function usePublishWorkflow(onDone?: (workflow: Workflow) => void) {
  return useMutationWithToast((id: string) => client.workflows.publish(id), {
    changes,
    onDone,
    failed: t('Could not publish the workflow'),
  });
}

export function useDuplicateWorkflow(onDone?: (workflow: Workflow) => void) {
  return useMutationWithToast(
    async ({ id }: Pick<WorkflowSummary, 'id'>) => {
      const file = toWorkflowFile(await client.workflows.get(id));
      // Names are limited to 200 characters.
      return client.workflows.create({
        ...file,
        name: t('{{name}} (copy)', { name: file.name.slice(0, 193) }),
      });
    },
    { changes, onDone, failed: t('Could not duplicate the workflow') },
  );
}

/** One workflow is exported as an object, several as a list in one file. */
export function useExportWorkflows() {
  return useMutationWithToast(
    async (items: readonly Pick<WorkflowSummary, 'id'>[]) => {
      const files: WorkflowFile[] = [];
      for (const { id } of items) files.push(toWorkflowFile(await client.workflows.get(id)));
      const [only] = files;
      if (files.length === 1 && only !== undefined) downloadJson(`${toFileName(only.name)}.json`, only);
      else downloadJson('workflows.json', files);
    },
    { changes: [], failed: t('Could not export the workflows') },
  );
}
