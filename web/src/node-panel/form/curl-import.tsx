import { Terminal } from 'lucide-react';
import { useState } from 'react';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { createLazyComponent } from '../../ui/lazy-component.tsx';
import { Lazy } from '../../ui/lazy.tsx';
import { useForm } from './form-context.ts';
import { t } from '../../i18n/index.ts';

const CurlDialog = createLazyComponent(async () => (await import('./curl-dialog.tsx')).CurlDialog);

/** Fields that an imported command replaces, even if it does not set them. */
const REPLACED_FIELDS = new Set([
  'method',
  'url',
  'query',
  'headers',
  'body',
  'body_type',
  'files',
  'authentication',
]);

/** The button that fills in a request from a `curl` command. */
export function CurlImport({ config }: { config: Readonly<Record<string, unknown>> }) {
  const { change } = useForm();
  const [isOpen, setIsOpen] = useState(false);
  const [notes, setNotes] = useState<readonly string[]>([]);
  return (
    <>
      <Button
        className="curl-import"
        size="small"
        icon={<Terminal size={14} />}
        onClick={() => setIsOpen(true)}
      >
        {t('Import cURL')}
      </Button>
      {notes.map((note) => (
        <Alert key={note} tone="warn">
          {note}
        </Alert>
      ))}
      {isOpen && (
        <Lazy>
          <CurlDialog
            onClose={() => setIsOpen(false)}
            onImport={(imported) => {
              const retained = Object.entries(config).filter(([key]) => !REPLACED_FIELDS.has(key));
              change([], { ...Object.fromEntries(retained), ...imported.config });
              setNotes(imported.notes);
              setIsOpen(false);
            }}
          />
        </Lazy>
      )}
    </>
  );
}
