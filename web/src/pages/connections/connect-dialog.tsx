import type { NewConnectedAccount } from 'weft-client';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { providerName } from './providers.ts';
import { t } from '../../i18n/index.ts';

/** Shown after a connection is created: the settings for the provider's app, and the link to authorize. */
export function ConnectDialog({ made, onClose }: { made: NewConnectedAccount; onClose: () => void }) {
  const { connect_url } = made;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Authorize “{{name}}”', { name: made.name })}
      description={t('You authorize Weft at {{provider}} and return here.', {
        provider: providerName(made.provider),
      })}
      foot={
        <>
          <Button onClick={onClose}>{t('Later')}</Button>
          {connect_url !== null && (
            <Button look="primary" onClick={() => location.assign(connect_url)}>
              {t('Authorize')}
            </Button>
          )}
        </>
      }
    >
      <div className="field">
        <span className="field__label">{t('Redirect URI')}</span>
        <div className="reveal">
          <code className="reveal__value">{made.redirect_uri}</code>
          <CopyButton text={made.redirect_uri} label={t('Copy redirect URI')} />
        </div>
        <p className="field__hint">
          {t('Add exactly this URI to the redirect URIs of your app at the service.')}
        </p>
      </div>
    </Dialog>
  );
}
