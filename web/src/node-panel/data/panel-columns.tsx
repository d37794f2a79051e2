import { Tabs, type Tab } from '../../ui/tabs.tsx';
import { t } from '../../i18n/index.ts';

/** Input, settings and output of a node side by side. */
export function PanelColumns({
  title,
  input,
  middle,
  output,
  tab,
  onTab,
}: {
  title: string;
  input: Tab;
  /** The tabs between input and output. */
  middle: readonly Tab[];
  output: Tab;
  /** The shown tab of the middle. */
  tab: string;
  onTab: (id: string) => void;
}) {
  return (
    <div className="panel__columns">
      <Side title={title} tab={input} />
      <div className="panel__column">
        <Tabs label={t('Details of {{node}}', { node: title })} value={tab} onChange={onTab} tabs={middle} />
      </div>
      <Side title={title} tab={output} />
    </div>
  );
}

function Side({ title, tab }: { title: string; tab: Tab }) {
  return (
    <section
      className="panel__column"
      aria-label={
        tab.id === 'input'
          ? t('Input of {{node}}', { node: title })
          : t('Output of {{node}}', { node: title })
      }
    >
      <h3 className="panel__column-title">{tab.label}</h3>
      {tab.content}
    </section>
  );
}
