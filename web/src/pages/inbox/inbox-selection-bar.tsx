import { useState } from 'react';
import type { Decision } from 'weft-client';
import { client } from '../../data/client.ts';
import { toErrorText } from '../../data/error-text.ts';
import { queryClient } from '../../data/query-client.ts';
import type { Selection } from '../../data/use-selection.ts';
import { forEachLimited } from '../../lib/for-each-limited.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { t } from '../../i18n/index.ts';

/** Responds to the selected decisions with a choice that all of them have. */
export function InboxSelectionBar({ selection }: { selection: Selection<Decision> }) {
  const [isRunning, setIsRunning] = useState(false);
  const { items } = selection;
  const [first] = items;
  if (first === undefined) return null;
  const shared = first.choices.filter(({ name }) =>
    items.every((one) => one.choices.some((choice) => choice.name === name)),
  );

  async function respondToAll(choice: string): Promise<void> {
    setIsRunning(true);
    const failures: string[] = [];
    await forEachLimited(items, new AbortController().signal, async ({ id, title }) => {
      try {
        await client.decisions.respond(id, { choice });
      } catch (error) {
        failures.push(`${title}: ${toErrorText(error)}`);
      }
    });
    setIsRunning(false);
    selection.clear();
    void queryClient.invalidateQueries({ queryKey: ['decisions'] });
    if (failures.length === 0)
      toast({ tone: 'good', title: t('{{number}} responses sent', { number: items.length }) });
    else
      toast({
        tone: 'bad',
        title: t('{{number}} responses failed', { number: failures.length }),
        text: failures.slice(0, 3).join('\n'),
      });
  }

  return (
    <div className="selection-bar" role="region" aria-label={t('Selection')}>
      <span role="status">{t('{{number}} selected', { number: items.length })}</span>
      <span className="grow" />
      {shared.length === 0 && (
        <span className="faint">{t('The selected decisions have no common choice')}</span>
      )}
      {shared.map(({ name, label }) => (
        <Button key={name} disabled={isRunning} onClick={() => void respondToAll(name)}>
          {label}
        </Button>
      ))}
      <Button variant="quiet" onClick={selection.clear}>
        {t('Clear selection')}
      </Button>
    </div>
  );
}
