import { useState } from 'react';
import type { TemplateSummary } from 'weft-client';
import { useAction } from '../../data/action.ts';
import { client } from '../../data/client.ts';
import { openRun } from '../../data/run-request.ts';
import { TemplateCard, runsAsItIs } from './template-card.tsx';
import { UseDialog } from './use-dialog.tsx';

/** Templates as cards. What runs as it is comes first: one click makes it, and runs it. */
export function TemplateGallery({ templates }: { templates: readonly TemplateSummary[] }) {
  const [used, setUsed] = useState<TemplateSummary | null>(null);
  const make = useAction(
    ({ templateName }: TemplateSummary) => client.templates.instantiate(templateName, {}),
    {
      changes: [['workflows']],
      failed: 'No workflow was made of it',
      onDone: (made) => openRun(made, true),
    },
  );
  const sorted = templates.toSorted((a, b) => Number(runsAsItIs(b)) - Number(runsAsItIs(a)));
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
