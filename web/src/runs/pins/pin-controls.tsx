import { Pencil, Pin, PinOff } from 'lucide-react';
import { useState } from 'react';
import { useStore } from '../../data/store.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code/code-editor.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { isRecord } from '../../node-panel/model/field-path.ts';
import { toPinPorts, type PinnedOutput } from './pinned-outputs.ts';
import type { Pins } from './pins.ts';
import { t } from '../../i18n/index.ts';

/**
 * Pins, edits and unpins the output of a node. `result`: the output of the displayed run; undefined if the
 * node did not complete. `ports`: the output ports of the node.
 */
export function PinControls({
  nodeId,
  result,
  ports,
  pins,
}: {
  nodeId: string;
  result: PinnedOutput | undefined;
  ports: readonly string[];
  pins: Pins;
}) {
  const pinned = useStore(pins.outputs).get(nodeId);
  const [isEditing, setIsEditing] = useState(false);
  const isPinned = pinned !== undefined;
  return (
    <div className="field">
      <div className="row">
        {isPinned ? (
          <Button icon={<PinOff size={14} />} aria-pressed onClick={() => void pins.unpin(nodeId)}>
            {t('Unpin output')}
          </Button>
        ) : (
          result !== undefined && (
            <Button
              icon={<Pin size={14} />}
              aria-pressed={false}
              onClick={() => void pins.pin(nodeId, result)}
            >
              {t('Pin output')}
            </Button>
          )
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
          pinned={pinned ?? result ?? { output: {}, ports: null }}
          ports={ports}
          onClose={() => setIsEditing(false)}
          onSave={(edited) => {
            setIsEditing(false);
            void pins.pin(nodeId, edited);
          }}
        />
      )}
    </div>
  );
}

function EditPinDialog({
  pinned,
  ports,
  onClose,
  onSave,
}: {
  pinned: PinnedOutput;
  ports: readonly string[];
  onClose: () => void;
  onSave: (edited: PinnedOutput) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(pinned.output, null, 2));
  const [used, setUsed] = useState<readonly string[]>(
    () => pinned.ports?.filter((port) => ports.includes(port)) ?? ports.slice(0, 1),
  );
  const [error, setError] = useState<string | null>(null);
  const save = (): void => {
    const output = parseOutput(text);
    if (output instanceof Error) return setError(output.message);
    const inOrder = ports.filter((port) => used.includes(port));
    if (inOrder.length === 0) return setError(t('Choose a port.'));
    if (inOrder.length > 1 && !hasFields(output, inOrder))
      return setError(
        t('With several ports, the JSON must be an object with a value for each: {{ports}}', {
          ports: inOrder.join(', '),
        }),
      );
    onSave({ output, ports: toPinPorts(inOrder, ports) });
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
        {ports.length > 1 && (
          <fieldset className="fieldset">
            <legend>{t('Output ports')}</legend>
            {ports.map((port) => (
              <Checkbox
                key={port}
                label={<code>{port}</code>}
                checked={used.includes(port)}
                onChange={({ target }) =>
                  setUsed(target.checked ? [...used, port] : used.filter((one) => one !== port))
                }
              />
            ))}
          </fieldset>
        )}
        {error !== null && <Alert tone="bad">{error}</Alert>}
      </div>
    </Dialog>
  );
}

function parseOutput(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (failure) {
    return failure instanceof Error ? failure : new Error(t('The output must be JSON.'));
  }
}

function hasFields(value: unknown, names: readonly string[]): boolean {
  return (
    isRecord(value) &&
    Object.keys(value).length === names.length &&
    names.every((name) => Object.hasOwn(value, name))
  );
}
