import { Pencil, Pin, PinOff } from 'lucide-react';
import { useState } from 'react';
import { useStore } from '../data/store.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { CodeEditor } from '../ui/code/code-editor.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import type { Pins } from './pins.ts';
import { t } from '../i18n/index.ts';

/**
 * Pins, edits and unpins the output of a node. `result`: the output of the displayed run; undefined if the
 * node did not complete.
 */
export function PinControls({ nodeId, result, pins }: { nodeId: string; result: unknown; pins: Pins }) {
  const pinned = useStore(pins.outputs);
  const [isEditing, setIsEditing] = useState(false);
  const isPinned = pinned.has(nodeId);
  return (
    <div className="field">
      <div className="row">
        {(isPinned || result !== undefined) && (
          <Button
            icon={isPinned ? <PinOff size={14} /> : <Pin size={14} />}
            aria-pressed={isPinned}
            onClick={() => void (isPinned ? pins.unpin(nodeId) : pins.pin(nodeId, result))}
          >
            {isPinned ? t('Unpin output') : t('Pin output')}
          </Button>
        )}
        <Button icon={<Pencil size={14} />} onClick={() => setIsEditing(true)}>
          {isPinned ? t('Edit pinned output') : t('Write output')}
        </Button>
      </div>
      <p className="field__hint">
        {isPinned
          ? t('Runs from the editor use the pinned output and skip this node. Triggers ignore it.')
          : t('Runs from the editor use a pinned output and skip the node.')}
      </p>
      {isEditing && (
        <EditPinDialog
          value={isPinned ? pinned.get(nodeId) : (result ?? {})}
          onClose={() => setIsEditing(false)}
          onSave={(output) => {
            setIsEditing(false);
            void pins.pin(nodeId, output);
          }}
        />
      )}
    </div>
  );
}

function EditPinDialog({
  value,
  onClose,
  onSave,
}: {
  value: unknown;
  onClose: () => void;
  onSave: (output: unknown) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [error, setError] = useState<string | null>(null);
  const save = (): void => {
    try {
      onSave(JSON.parse(text) as unknown);
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : t('The output must be JSON.'));
    }
  };
  return (
    <Dialog
      isOpen
      title={t('Pinned output')}
      onClose={onClose}
      onSubmit={save}
      foot={
        <>
          <span className="grow" />
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary">
            {t('Pin output')}
          </Button>
        </>
      }
    >
      <div className="form">
        <p className="field__hint">{t('The JSON that this node passes on in runs from the editor.')}</p>
        <CodeEditor label={t('Output')} language="json" value={text} onChange={setText} />
        {error !== null && <Alert tone="bad">{error}</Alert>}
      </div>
    </Dialog>
  );
}
