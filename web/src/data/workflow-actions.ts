import type { CreateWorkflowInput, UpdateWorkflowInput, Workflow, WorkflowSummary } from 'weft-client';
import { useMutationWithToast } from './use-mutation-with-toast.ts';
import { client } from './client.ts';
import { downloadJson, fileName } from './download.ts';
import { fileOf } from './workflow-file.ts';
import { t } from '../i18n/index.ts';

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

export function useDeleteWorkflow(onDone?: () => void) {
  return useMutationWithToast((id: string) => client.workflows.delete(id), {
    changes: [['workflows'], ['executions']],
    onDone,
  });
}

export function useDuplicateWorkflow(onDone?: (workflow: Workflow) => void) {
  return useMutationWithToast(
    async ({ id }: Pick<WorkflowSummary, 'id'>) => {
      const file = fileOf(await client.workflows.get(id));
      // Names are limited to 200 characters.
      return client.workflows.create({
        ...file,
        name: t('{{name}} (copy)', { name: file.name.slice(0, 193) }),
      });
    },
    { changes, onDone, failed: t('Could not duplicate the workflow') },
  );
}

export function useExportWorkflow() {
  return useMutationWithToast(
    async ({ id }: Pick<WorkflowSummary, 'id'>) => {
      const workflow = await client.workflows.get(id);
      downloadJson(`${fileName(workflow.name)}.json`, fileOf(workflow));
    },
    { changes: [], failed: t('Could not export the workflow') },
  );
}
