import type { Entry } from '../../canvas/model/document.ts';
import type { Autosave } from '../../canvas/state/autosave.ts';
import type { Editor } from '../../canvas/state/editor.ts';
import { useStore } from '../../data/store.ts';
import { Badge } from '../../ui/badge.tsx';
import { t } from '../../i18n/index.ts';
import { PublishPart, Url } from './webhook-panel.tsx';

/** The URL that clients of the MCP server connect to, and whether the tool is available there. */
export function ToolPanel({ node, editor, saver }: { node: Entry; editor: Editor; saver: Autosave }) {
  const workflow = useStore(saver.workflow);
  const hasName = typeof node.config?.['name'] === 'string';
  const isLive =
    node.disabled !== true &&
    workflow.status === 'active' &&
    workflow.active_version === workflow.version &&
    workflow.triggers.some((trigger) => trigger.node_id === node.id && trigger.type === 'tool');
  return (
    <section className="webhook" aria-label={t('Tool')}>
      <div className="webhook__part">
        <p className="webhook__head">
          <span className="field__label">{t('MCP server URL')}</span>
          <span className="grow" />
          <Badge tone={isLive ? 'good' : 'plain'} hasDot>
            {isLive ? t('Live') : t('Not live')}
          </Badge>
        </p>
        <Url
          method={null}
          url={new URL('/v1/mcp', location.href).href}
          label={t('Copy MCP server URL')}
          placeholder=""
        />
        {node.disabled === true ? (
          <p className="field__hint">{t('This trigger is disabled. Enable it to receive requests.')}</p>
        ) : isLive ? (
          <p className="field__hint">
            {t('Add this URL to an AI assistant, and sign in there or use an API key.')}
          </p>
        ) : (
          <PublishPart saver={saver} editor={editor} hasPath={hasName} />
        )}
      </div>
    </section>
  );
}
