import { useLocation } from 'wouter';
import { useDuplicateWorkflow } from '../../data/workflow-actions.ts';
import { toast } from '../../ui/toast.tsx';

/** Duplicates a workflow and offers to open the copy. */
export function useDuplicate() {
  const [, navigate] = useLocation();
  return useDuplicateWorkflow((copy) =>
    toast({
      tone: 'good',
      title: `“${copy.name}” created`,
      action: { label: 'Open', run: () => navigate(`/workflows/${copy.id}`) },
    }),
  );
}
