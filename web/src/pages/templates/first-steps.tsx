import { FileUp, Plus } from 'lucide-react';
import { useTemplates } from '../../data/lists.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorAlert } from '../../ui/alert.tsx';
import { TemplateGallery } from './template-gallery.tsx';
import { TemplatesLoading } from './templates-loading.tsx';
import { t } from '../../i18n/index.ts';

/** The empty state of the workflow list: what workflows are, and the shortest path to a first run. */
export function FirstSteps({ onCreate, onImport }: { onCreate: () => void; onImport: () => void }) {
  const list = useTemplates({ page: 1 });
  return (
    <div className="first">
      <section className="first__hero" aria-labelledby="first-title">
        <h2 id="first-title" className="first__title">
          {t('Your first workflow')}
        </h2>
        <p className="first__text">
          {t(
            'A workflow is a graph of nodes. A trigger starts it: manually, by a webhook or on a schedule. Each node passes its output to the next one. Every step is saved, so that a run resumes after a crash or restart.',
          )}
        </p>
        <div className="row row--wrap">
          <Button variant="primary" icon={<Plus size={15} />} onClick={onCreate}>
            {t('Create empty workflow')}
          </Button>
          <Button icon={<FileUp size={15} />} onClick={onImport}>
            {t('Import')}
          </Button>
        </div>
      </section>
      <h2 className="first__subtitle">{t('Or start from a template')}</h2>
      {list.error !== null && <ErrorAlert error={list.error} onRetry={() => void list.refetch()} />}
      {list.data === undefined ? <TemplatesLoading /> : <TemplateGallery templates={list.data.templates} />}
    </div>
  );
}
