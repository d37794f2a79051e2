import { FileJson, Upload } from 'lucide-react';
import { useId, useState, type DragEvent } from 'react';
import { useLocation } from 'wouter';
import type { CreateWorkflowInput } from 'weft-client';
import { client } from '../../data/client.ts';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { toErrorText } from '../../data/error-text.ts';
import { MAX_FILE_BYTES, readWorkflowFile } from '../../data/workflows/workflow-file.ts';
import { Button } from '../../ui/button.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { Alert } from '../../ui/alert.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { t, tElements, tPlural } from '../../i18n/index.ts';

type Found = { from: string; workflows: CreateWorkflowInput[] };

/** Imports from a file, a drop or pasted text: an export, a response of the API, or a definition. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [found, setFound] = useState<Found | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [pasted, setPasted] = useState('');
  const [isOver, setIsOver] = useState(false);
  const [, navigate] = useLocation();
  const chooser = useId();

  const make = useMutationWithToast(
    async (all: CreateWorkflowInput[]) => {
      const made = [];
      for (const one of all) made.push(await client.workflows.create(one));
      return made;
    },
    {
      changes: [['workflows']],
      onDone: (made) => {
        onClose();
        const [only] = made;
        if (made.length === 1 && only !== undefined) navigate(`/workflows/${only.id}`);
        else
          toast({
            tone: 'good',
            title: tPlural(made.length, '{{count}} workflow imported', '{{count}} workflows imported'),
          });
      },
    },
  );

  function read(text: string, from: string): void {
    make.reset();
    try {
      setFound({ from, workflows: readWorkflowFile(text) });
      setProblem(null);
    } catch (error) {
      setFound(null);
      setProblem(`${from}: ${toErrorText(error)}`);
    }
  }

  async function readFile(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    setPasted('');
    if (file.size > MAX_FILE_BYTES) {
      setFound(null);
      setProblem(t('{{file}} is too large. The maximum size is 5 MiB.', { file: file.name }));
      return;
    }
    read(await file.text(), file.name);
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setIsOver(false);
    void readFile(event.dataTransfer.files[0]);
  }

  const errorText = problem ?? (make.error === null ? null : toErrorText(make.error));
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Import workflows')}
      description={t('Imported workflows are drafts. Their triggers do not run until you activate them.')}
      onSubmit={() => found !== null && make.mutate(found.workflows)}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary" disabled={found === null} isBusy={make.isPending}>
            {found === null || found.workflows.length === 1
              ? t('Import')
              : t('Import {{number}}', { number: found.workflows.length })}
          </Button>
        </>
      }
    >
      <div className="form">
        <label
          className={joinClassNames('drop', isOver && 'drop--over')}
          htmlFor={chooser}
          onDragOver={(event) => {
            event.preventDefault();
            setIsOver(true);
          }}
          onDragLeave={() => setIsOver(false)}
          onDrop={drop}
        >
          <Upload size={18} aria-hidden="true" />
          <span>
            {tElements('{{choose}} or drop it here', { choose: <strong>{t('Choose a file')}</strong> })}
          </span>
          <input
            id={chooser}
            className="visually-hidden"
            type="file"
            accept="application/json,.json"
            onChange={(event) => {
              void readFile(event.target.files?.[0]);
              // Selecting the same file again must fire a change event.
              event.target.value = '';
            }}
          />
        </label>
        <TextAreaField
          label={t('Or paste JSON')}
          className="input--mono"
          rows={5}
          spellCheck={false}
          value={pasted}
          placeholder='{ "name": …, "definition": { "nodes": […], "connections": […] } }'
          onChange={(event) => {
            const text = event.target.value;
            setPasted(text);
            if (text.trim() !== '') read(text, t('Pasted JSON'));
          }}
        />
        {errorText !== null && <Alert tone="bad">{errorText}</Alert>}
        {found !== null && (
          <ul className="found" aria-label={t('Workflows to import')}>
            {found.workflows.slice(0, 8).map((one, i) => (
              <li key={i} className="row">
                <FileJson size={15} aria-hidden="true" />
                <span className="truncate grow">{one.name}</span>
                <span className="faint numbers">
                  {tPlural(one.definition?.nodes?.length ?? 0, '{{count}} node', '{{count}} nodes')}
                </span>
              </li>
            ))}
            {found.workflows.length > 8 && (
              <li className="faint">{t('and {{number}} more', { number: found.workflows.length - 8 })}</li>
            )}
          </ul>
        )}
      </div>
    </Dialog>
  );
}
