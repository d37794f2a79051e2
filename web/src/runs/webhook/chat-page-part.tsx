import { ExternalLink } from 'lucide-react';
import { Fragment } from 'react';
import type { Entry } from '../../canvas/model/document.ts';
import type { Autosave } from '../../canvas/state/autosave.ts';
import { useStore } from '../../data/store.ts';
import { t } from '../../i18n/index.ts';
import { Url } from './webhook-panel.tsx';

/** The URLs of the page of a chat, and the tag that embeds it; nothing without a page. */
export function ChatPagePart({ node, saver }: { node: Entry; saver: Autosave }) {
  const workflow = useStore(saver.workflow);
  const page = node.config?.['page'] as Readonly<Record<string, unknown>> | undefined;
  const trigger = workflow.triggers.find((one) => one.node_id === node.id);
  const url = trigger?.url ?? null;
  if (page === undefined) return null;
  const links = trigger?.links ?? [];
  const origins = page['embed_origins'];
  const isEmbedded = Array.isArray(origins) && origins.length > 0;
  const embedUrls = page['access'] === 'link' ? links.map((link) => link.url) : [url ?? ''];
  return (
    <div className="webhook__part">
      <p className="webhook__head">
        <span className="field__label">{t('Chat page')}</span>
      </p>
      {page['access'] === 'link' ? (
        links.map((link) => (
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
        ))
      ) : (
        <>
          <Url method={null} url={url} label={t('Copy chat page URL')} placeholder={t('Saving…')} />
          {url !== null && (
            <p className="field__hint">
              <a href={url} target="_blank" rel="noreferrer">
                {t('Open chat page')} <ExternalLink size={12} aria-hidden="true" />
              </a>
            </p>
          )}
        </>
      )}
      {isEmbedded && url !== null && (
        <>
          <p className="webhook__head">
            <span className="field__label">{t('Tag for other sites')}</span>
          </p>
          {embedUrls.map((one) => (
            <Url
              key={one}
              method={null}
              url={createTag(one)}
              label={t('Copy tag for other sites')}
              placeholder=""
            />
          ))}
        </>
      )}
    </div>
  );
}

function createTag(url: string): string {
  const [page, query] = url.split('?');
  return `<script src="${page}/embed.js${query === undefined ? '' : `?${query}`}" async></script>`;
}
