import type { Entry } from '../../canvas/model/document.ts';
import type { ReactNode } from 'react';
import { ChatPagePart } from './chat-page-part.tsx';
import { ChatTestPart } from '../chat/chat-test-part.tsx';
import type { ChatTest } from '../chat/chat-test.ts';
import { findOnlyChat } from './webhook-request.ts';
import { useStoreSelector } from '../../canvas/components/canvas-context.ts';
import type { Autosave } from '../../canvas/state/autosave.ts';
import type { Editor } from '../../canvas/state/editor.ts';
import { useStore } from '../../data/store.ts';
import { Badge } from '../../ui/badge.tsx';
import { t } from '../../i18n/index.ts';
import { PublishPart, Url } from './webhook-panel.tsx';

type PanelProps = { node: Entry; editor: Editor; saver: Autosave };

/** The URL that clients of the MCP server connect to, and whether the tool is available there. */
export function ToolPanel(props: PanelProps) {
  return (
    <ClientPanel
      {...props}
      kind="tool"
      name={t('Tool')}
      label={t('MCP server URL')}
      path="/v1/mcp"
      copyLabel={t('Copy MCP server URL')}
      hint={t('Add this URL to an AI assistant, and sign in there or use an API key.')}
    />
  );
}

/** The URL that chat clients and OpenAI libraries connect to, and whether the model is available there. */
export function ChatPanel({ chat, ...props }: PanelProps & { chat: ChatTest }) {
  const { node, editor, saver } = props;
  const isOnlyTrigger = useStoreSelector(editor.history, ({ doc }) => findOnlyChat(doc)?.id === node.id);
  const save = async (): Promise<boolean> => {
    saver.reportIssues();
    return saver.flush();
  };
  const name = node.config?.['name'];
  return (
    <ClientPanel
      {...props}
      kind="chat"
      name={t('Chat')}
      label={t('Base URL')}
      path="/v1"
      copyLabel={t('Copy base URL')}
      hint={t('Set this base URL, an API key and the model name in an OpenAI library or a chat client.')}
    >
      <ChatPagePart node={node} saver={saver} />
      {isOnlyTrigger && <ChatTestPart chat={chat} model={typeof name === 'string' ? name : ''} save={save} />}
    </ClientPanel>
  );
}

function ClientPanel({
  node,
  editor,
  saver,
  kind,
  name,
  label,
  path,
  copyLabel,
  hint,
  children,
}: PanelProps & {
  kind: 'tool' | 'chat';
  name: string;
  label: string;
  path: string;
  copyLabel: string;
  /** Shown while clients can connect. */
  hint: string;
  children?: ReactNode;
}) {
  const workflow = useStore(saver.workflow);
  const hasName = typeof node.config?.['name'] === 'string';
  const isLive =
    node.disabled !== true &&
    workflow.status === 'active' &&
    workflow.active_version === workflow.version &&
    workflow.triggers.some((trigger) => trigger.node_id === node.id && trigger.type === kind);
  return (
    <section className="webhook" aria-label={name}>
      <div className="webhook__part">
        <p className="webhook__head">
          <span className="field__label">{label}</span>
          <span className="grow" />
          <Badge tone={isLive ? 'good' : 'plain'} hasDot>
            {isLive ? t('Live') : t('Not live')}
          </Badge>
        </p>
        <Url method={null} url={new URL(path, location.href).href} label={copyLabel} placeholder="" />
        {node.disabled === true ? (
          <p className="field__hint">{t('This trigger is disabled. Enable it to receive requests.')}</p>
        ) : isLive ? (
          <p className="field__hint">{hint}</p>
        ) : (
          <PublishPart saver={saver} editor={editor} hasPath={hasName} />
        )}
      </div>
      {children}
    </section>
  );
}
