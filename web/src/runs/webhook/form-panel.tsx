import { ExternalLink } from 'lucide-react';
import { Fragment } from 'react';
import type { Entry } from '../../canvas/model/document.ts';
import type { Autosave } from '../../canvas/state/autosave.ts';
import type { Editor } from '../../canvas/state/editor.ts';
import { useStore } from '../../data/store.ts';
import { Badge } from '../../ui/badge.tsx';
import { PublishPart, Url, useServiceUrl } from './webhook-panel.tsx';
import { getFormTriggerState, getPath, buildProductionUrl } from './webhook-request.ts';
import { t } from '../../i18n/index.ts';

/** The URL of a form, and whether people can open it. */
export function FormPanel({ node, editor, saver }: { node: Entry; editor: Editor; saver: Autosave }) {
  const workflow = useStore(saver.workflow);
  const config = node.config ?? {};
  const path = getPath(config);
  const url = buildProductionUrl(workflow, config, '/forms');
  useServiceUrl(saver, path, url);
  const links = workflow.triggers.find((trigger) => trigger.node_id === node.id)?.links ?? [];
  const isLive = node.disabled !== true && getFormTriggerState(workflow, node.id, config) === 'live';
  return (
    <section className="webhook" aria-label={t('Form')}>
      <div className="webhook__part">
        <p className="webhook__head">
          <span className="field__label">{t('Form URL')}</span>
          <span className="grow" />
          <Badge tone={isLive ? 'good' : 'plain'} hasDot>
            {isLive ? t('Live') : t('Not live')}
          </Badge>
        </p>
        <Url
          method={null}
          url={url}
          label={t('Copy form URL')}
          placeholder={path === null ? t('Enter a path below') : `…${path}`}
        />
        {node.disabled === true ? (
          <p className="field__hint">{t('This trigger is disabled. Enable it to receive requests.')}</p>
        ) : isLive && url !== null && config['access'] === 'link' ? (
          <p className="field__hint">{t('People open the form with one of its links.')}</p>
        ) : isLive && url !== null ? (
          <p className="field__hint">
            <a href={url} target="_blank" rel="noreferrer">
              {t('Open form')} <ExternalLink size={12} aria-hidden="true" />
            </a>
          </p>
        ) : (
          <PublishPart saver={saver} editor={editor} hasPath={path !== null} />
        )}
      </div>
      {isLive && links.length > 0 && (
        <div className="webhook__part">
          <p className="webhook__head">
            <span className="field__label">{t('Links')}</span>
          </p>
          {links.map((link) => (
            <Fragment key={link.name}>
              <Url
                method={null}
                url={link.url}
                label={t('Copy link {{name}}', { name: link.name })}
                placeholder=""
              />
              <p className="field__hint">
                {t('{{name}}, until {{time}}', { name: link.name, time: link.expires_at })}
              </p>
            </Fragment>
          ))}
        </div>
      )}
    </section>
  );
}
