import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { CurlError, readCurl, type Imported } from '../model/curl.ts';
import { t } from '../../i18n/index.ts';

/** Imports a `curl` command as the configuration of a request. */
export function CurlDialog({
  onClose,
  onImport,
}: {
  onClose: () => void;
  onImport: (imported: Imported) => void;
}) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (): void => {
    try {
      onImport(readCurl(text));
    } catch (error) {
      if (!(error instanceof CurlError)) throw error;
      setProblem(error.message);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Import cURL')}
      description={t('Replaces the method, URL, query, headers, body and authentication of this request.')}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button variant="primary" type="submit" disabled={text.trim() === ''}>
            {t('Import')}
          </Button>
        </>
      }
    >
      <TextAreaField
        label={t('cURL command')}
        rows={8}
        className="input--mono"
        value={text}
        error={problem}
        placeholder="curl https://api.example.com/orders -H 'Accept: application/json'"
        spellCheck={false}
        onChange={({ target }) => {
          setText(target.value);
          setProblem(null);
        }}
      />
    </Dialog>
  );
}
