import { queryClient } from '../../data/query-client.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import type { Autosave } from './autosave.ts';
import { formatDefinitionError } from './definition-error.ts';
import type { Editor } from './editor.ts';
import { t } from '../../i18n/index.ts';

/** Activates the workflow, or publishes its newest version, and shows the result as a toast. */
export async function publish(saver: Autosave, editor: Editor): Promise<void> {
  const isFirst = saver.workflow.get().status !== 'active';
  try {
    await saver.update(isFirst ? { status: 'active' } : { publish: true });
  } catch (error) {
    toast({
      tone: 'bad',
      title: isFirst ? t('Could not activate the workflow') : t('Could not publish the workflow'),
      text: formatDefinitionError(error, editor.doc(), editor.catalog),
    });
    return;
  }
  toast({ tone: 'good', title: isFirst ? t('Workflow activated') : t('Version published') });
  void queryClient.invalidateQueries({ queryKey: ['workflows', 'list'] });
}
