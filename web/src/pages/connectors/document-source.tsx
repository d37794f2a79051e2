import { FileJson, Upload } from 'lucide-react';
import { useId, useState, type DragEvent } from 'react';
import { joinClassNames } from '../../ui/class-names.ts';
import { t, tElements } from '../../i18n/index.ts';

/** As the service limits a document, bytes. */
const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** The file could not be read. */
export class FileError extends Error {}

/** The text of a document. @throws {FileError} */
export async function readDocument(file: File): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new FileError(t('{{name}} could not be read. It must be text in UTF-8.', { name: file.name }));
  }
}

/** The file of a document, which is chosen or dropped. */
export function DocumentFileField({
  file,
  error,
  onFile,
  onError,
}: {
  file: File | null;
  error: string | null;
  onFile: (file: File) => void;
  onError: (text: string) => void;
}) {
  const [isOver, setIsOver] = useState(false);
  const id = useId();

  function take(selectedFile: File | undefined): void {
    if (selectedFile === undefined) return;
    if (selectedFile.size > MAX_DOCUMENT_BYTES)
      onError(t('{{name}} is larger than 32 MiB.', { name: selectedFile.name }));
    else onFile(selectedFile);
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setIsOver(false);
    take(event.dataTransfer.files[0]);
  }

  return (
    <div className="field">
      <label
        className={joinClassNames('drop', isOver && 'drop--over')}
        htmlFor={id}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
      >
        {file === null ? <Upload size={18} aria-hidden="true" /> : <FileJson size={18} aria-hidden="true" />}
        {file === null ? (
          <span>
            {tElements('{{choose}} or drop it here', { choose: <strong>{t('Choose a file')}</strong> })}
          </span>
        ) : (
          <span>
            <strong>{file.name}</strong> · {formatSize(file.size)}
          </span>
        )}
        <input
          id={id}
          className="visually-hidden"
          type="file"
          accept=".json,.yaml,.yml,application/json,application/yaml,text/yaml"
          aria-label={t('Document')}
          aria-invalid={error !== null}
          aria-describedby={`${id}-below`}
          onChange={({ target }) => {
            take(target.files?.[0]);
            // Selecting the same file again must fire a change event.
            target.value = '';
          }}
        />
      </label>
      {error === null ? (
        <p className="field__hint" id={`${id}-below`}>
          {t('OpenAPI 3.0, OpenAPI 3.1 or Swagger 2, in JSON or YAML, at most 32 MiB.')}
        </p>
      ) : (
        <p className="field__error" id={`${id}-below`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

export function formatSize(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${Math.round(bytes / 1_024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
