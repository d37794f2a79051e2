import { Play } from 'lucide-react';
import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { NodeTest } from 'weft-client';
import { client } from '../../data/client.ts';
import { toFormError } from '../../data/error-text.ts';
import { readInput } from '../../runs/read-input.ts';
import { Alert } from '../../ui/alert.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { JsonTree } from '../../ui/code/json-tree.tsx';
import { formatDuration } from '../../ui/time.tsx';
import { formatSampleInputs, toTestBody, type Registration } from './registration.ts';
import { toSentenceCase, t } from '../../i18n/index.ts';

/** Runs the code of the form once with sample inputs, without registering it. */
export function TestRun({ form }: { form: Registration }) {
  /** Null: samples of the declared inputs. */
  const [edited, setEdited] = useState<string | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const values = edited ?? formatSampleInputs(form.inputs);
  const test = useMutation({
    mutationFn: (body: ReturnType<typeof toTestBody>) => client.nodes.test(body),
  });

  function run(): void {
    const input = readInput(values);
    try {
      setWrong(typeof input === 'string' ? input : null);
      if (typeof input !== 'string') test.mutate(toTestBody(form, input));
    } catch (error) {
      setWrong(error instanceof Error ? error.message : t('Not valid JSON'));
    }
  }

  return (
    <section className="register__test" aria-label={t('Test run')}>
      <TextAreaField
        label={t('Test inputs')}
        className="input--mono"
        rows={4}
        spellCheck={false}
        value={values}
        hint={t('Runs the handler once with these inputs. Nothing is saved.')}
        error={wrong ?? toFormError(test.error, [])}
        onChange={(event) => setEdited(event.target.value)}
      />
      <Button icon={<Play size={14} />} isBusy={test.isPending} onClick={run}>
        {t('Test')}
      </Button>
      {test.data !== undefined && !test.isPending && test.error === null && <Result result={test.data} />}
    </section>
  );
}

function Result({ result: { status, output, error, logs, duration } }: { result: NodeTest }) {
  return (
    <div className="stack" role="status">
      <p className="row">
        <StatusBadge status={status} />
        <span className="faint numbers">{formatDuration(duration)}</span>
      </p>
      {error === null ? (
        <JsonTree name={toSentenceCase(t('Output'))} value={output} openLevels={3} />
      ) : (
        <Alert tone="bad">
          <strong>{error.type}</strong>: {error.message}
        </Alert>
      )}
      {logs.length > 0 && (
        <ul className="register__logs" aria-label={t('Log')}>
          {logs.map(({ level, message }, i) => (
            <li key={i}>
              <span className="faint">{level}</span> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
