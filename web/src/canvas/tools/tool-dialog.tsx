import { Plus, Wrench } from 'lucide-react';
import { useState } from 'react';
import { toErrorText } from '../../data/error-text.ts';
import { useStore } from '../../data/store.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox, TextAreaField, TextField } from '../../ui/field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useCanvas, useStoreSelector } from '../components/canvas-context.ts';
import { extractFirstSentence } from '../model/palette-entries.ts';
import { search } from '../model/search.ts';
import { addBody } from '../model/edit/edit-bodies.ts';
import type { Entry } from '../model/document.ts';
import { useToolChoices, type ToolChoice } from './tool-choices.ts';
import { addTool, createToolName, type Argument, type ToolDraft } from './tool-draft.ts';
import { t } from '../../i18n/index.ts';

/** Results that are shown: more are found by typing. */
const MAX_RESULTS = 40;

/** Adds a tool to an agent: a workflow, a node with open fields, or a tool of an MCP server. */
export function ToolDialog({ workflowId }: { workflowId: string }) {
  const { ui, editor } = useCanvas();
  const { addingTool } = useStore(ui);
  const agent = useStoreSelector(editor.history, ({ doc }) => doc.nodes.get(addingTool ?? ''));
  if (addingTool === null || agent === undefined) return null;
  return <Picker key={addingTool} agent={agent} workflowId={workflowId} />;
}

function Picker({ agent, workflowId }: { agent: Entry; workflowId: string }) {
  const { ui, editor, actions } = useCanvas();
  const doc = useStoreSelector(editor.history, (history) => history.doc);
  const [text, setText] = useState('');
  const [draft, setDraft] = useState<ToolDraft | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const address = /^https?:\/\/\S+$/.test(text.trim()) ? text.trim() : null;
  const [url, setUrl] = useState<string | null>(null);
  const { choices, error } = useToolChoices(doc, editor.catalog, workflowId, url);
  const found = text.trim() === '' || address !== null ? choices : search(choices, text);
  const displayed =
    address === null ? found : choices.filter(({ id }) => id.includes(JSON.stringify(address)));
  const close = (): void => {
    ui.show({ addingTool: null });
    actions.focus();
  };
  const choose = (choice: ToolChoice): void => {
    setProblem(null);
    choice.load().then(setDraft, setProblem);
  };
  if (draft !== null)
    return <Details agent={agent} draft={draft} onBack={() => setDraft(null)} onClose={close} />;
  return (
    <Dialog
      isOpen
      onClose={close}
      size="wide"
      title={t('Add tool')}
      description={t('A workflow, a node whose fields the model fills in, or a tool of an MCP server.')}
      onSubmit={() => {
        if (address === null) {
          if (displayed[0] !== undefined) choose(displayed[0]);
        } else setUrl(address);
      }}
      foot={
        <>
          <Button
            icon={<Plus size={14} />}
            onClick={() => {
              editor.change(t('Add tool'), (before) => addBody(before, agent.id));
              close();
            }}
          >
            {t('Empty tool')}
          </Button>
          <Button onClick={close}>{t('Cancel')}</Button>
        </>
      }
    >
      <div className="stack">
        <TextField
          label={t('Search tools')}
          hint={t('Or the URL of an MCP server, to list its tools.')}
          value={text}
          autoFocus
          onChange={({ target }) => setText(target.value)}
        />
        {address !== null && address !== url && (
          <Button icon={<Wrench size={14} />} onClick={() => setUrl(address)}>
            {t('List the tools of this server')}
          </Button>
        )}
        {[problem, error].map((one, i) =>
          one == null ? null : (
            <Alert key={i} tone="bad">
              {toErrorText(one)}
            </Alert>
          ),
        )}
        <ul className="tool-choices" aria-label={t('Tools')}>
          {displayed.slice(0, MAX_RESULTS).map((choice) => (
            <li key={choice.id}>
              <button type="button" className="tool-choice" onClick={() => choose(choice)}>
                <span className="tool-choice__title">{choice.title}</span>
                <span className="tool-choice__group faint">{choice.group}</span>
                <span className="tool-choice__detail soft">{extractFirstSentence(choice.detail)}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

/** The name, the description and the arguments of a tool, before it is added. */
function Details({
  agent,
  draft,
  onBack,
  onClose,
}: {
  agent: Entry;
  draft: ToolDraft;
  onBack: () => void;
  onClose: () => void;
}) {
  const { editor, actions } = useCanvas();
  const [name, setName] = useState(() => createToolName(draft.title, agent));
  const [description, setDescription] = useState(draft.description);
  const [open, setOpen] = useState<ReadonlySet<string>>(
    () => new Set(draft.arguments.filter(({ isRequired }) => isRequired).map(({ key }) => key)),
  );
  const isStated = draft.parameters !== null;
  const nameError = findNameError(name, agent);
  const add = (): void => {
    if (nameError !== null || description.trim() === '') return;
    const tool = { name, description: description.trim(), open };
    const added = addTool(editor.doc(), editor.catalog, agent.id, draft, tool);
    editor.change(t('Add tool'), () => added.doc, { announce: t('Tool {{name}} added', { name }) });
    onClose();
    actions.choose(added.nodeId);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="wide"
      title={t('Add tool')}
      onSubmit={add}
      foot={
        <>
          <Button onClick={onBack}>{t('Back')}</Button>
          <Button type="submit" variant="primary">
            {t('Add tool')}
          </Button>
        </>
      }
    >
      <div className="stack">
        <TextField
          label={t('Name for the model')}
          value={name}
          maxLength={64}
          error={nameError}
          onChange={({ target }) => setName(target.value)}
        />
        <TextAreaField
          label={t('Description')}
          hint={t('What the tool does, and when the model should use it.')}
          value={description}
          rows={3}
          required
          maxLength={10_000}
          onChange={({ target }) => setDescription(target.value)}
        />
        <fieldset className="tool-arguments">
          <legend>{t('Arguments')}</legend>
          <p className="soft">
            {draft.arguments.length > 0
              ? isStated
                ? t('What the model sends:')
                : t('The model fills in the selected fields. You set the others afterwards.')
              : isStated
                ? t('No arguments are stated: the model may send any object.')
                : t('No field can be left open to the model.')}
          </p>
          {draft.arguments.map((argument) => (
            <ArgumentRow
              key={argument.key}
              argument={argument}
              isOpen={isStated || open.has(argument.key)}
              onChange={
                isStated
                  ? null
                  : (isOpen) => {
                      const next = new Set(open);
                      if (isOpen) next.add(argument.key);
                      else next.delete(argument.key);
                      setOpen(next);
                    }
              }
            />
          ))}
        </fieldset>
      </div>
    </Dialog>
  );
}

function ArgumentRow({
  argument: { key, label, schema, isRequired },
  isOpen,
  onChange,
}: {
  argument: Argument;
  isOpen: boolean;
  /** Null: the argument cannot be deselected. */
  onChange: ((isOpen: boolean) => void) | null;
}) {
  const { type, description } = schema;
  const shape = [
    key,
    Array.isArray(schema['enum'])
      ? schema['enum'].map(String).join(' | ')
      : [type ?? 'any'].flat().map(String).join(' | '),
    ...(isRequired ? [t('required')] : []),
  ].join(' · ');
  const hint = typeof description === 'string' ? `${shape} — ${description}` : shape;
  return onChange === null ? (
    <p className="tool-argument">
      <span>{label}</span>
      <span className="check__hint">{hint}</span>
    </p>
  ) : (
    <Checkbox
      label={label}
      hint={hint}
      checked={isOpen}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
}

function findNameError(name: string, agent: Entry): string | null {
  if (!/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name))
    return t('must be letters, digits, - and _, and begin with a letter');
  const tools = (agent.config?.['tools'] ?? []) as { name?: unknown }[];
  return Array.isArray(tools) && tools.some((tool) => tool.name === name)
    ? t('is the name of another tool')
    : null;
}
