import { useState } from 'react';
import { useLocation } from 'wouter';
import type { TemplateSummary } from 'weft-client';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { client } from '../../data/client.ts';
import { runWhenOpen } from '../../data/run-request.ts';
import { TemplateCard, canRunUnchanged } from './template-card.tsx';
import { UseDialog } from './use-dialog.tsx';
import { t } from '../../i18n/index.ts';

/** Template cards. Those without required parameters come first: one click creates and runs them. */
export function TemplateGallery({ templates }: { templates: readonly TemplateSummary[] }) {
  const [used, setUsed] = useState<TemplateSummary | null>(null);
  const [, navigate] = useLocation();
  const make = useMutationWithToast(
    ({ templateName }: TemplateSummary) => client.templates.instantiate(templateName, {}),
    {
      changes: [['workflows']],
      failed: t('Could not create the workflow'),
      onDone: ({ id }) => {
        runWhenOpen(id);
        navigate(`/workflows/${id}`);
      },
    },
  );
  const sorted = templates.toSorted((a, b) => Number(canRunUnchanged(b)) - Number(canRunUnchanged(a)));
  return (
    <>
      <ul className="templates">
        {sorted.map((one) => (
          <TemplateCard
            key={one.templateName}
            template={one}
            isBusy={make.isPending && make.variables?.templateName === one.templateName}
            onUse={() => setUsed(one)}
            onRun={() => make.mutate(one)}
          />
        ))}
      </ul>
      {used !== null && <UseDialog template={used} onClose={() => setUsed(null)} />}
    </>
  );
}
