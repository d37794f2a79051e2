import { useLocation } from 'wouter';
import { useDuplicateWorkflow } from '../../data/workflows/workflow-actions.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { t } from '../../i18n/index.ts';

/** Duplicates a workflow and offers to open the copy. */
export function useDuplicate() {
  const [, navigate] = useLocation();
  return useDuplicateWorkflow((copy) =>
    toast({
      tone: 'good',
      title: t('“{{name}}” created', { name: copy.name }),
      action: { label: t('Open'), run: () => navigate(`/workflows/${copy.id}`) },
    }),
  );
}
