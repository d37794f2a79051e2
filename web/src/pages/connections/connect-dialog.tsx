import type { NewConnectedAccount } from 'weft-client';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { providerName } from './providers.ts';

/** After a connection was made: what the app at the service has to know, and the way there. */
export function ConnectDialog({ made, onClose }: { made: NewConnectedAccount; onClose: () => void }) {
  const { connect_url } = made;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Allow “${made.name}”`}
      description={`One step at ${providerName(made.provider)}, then you come back here.`}
      foot={
        <>
          <Button onClick={onClose}>Later</Button>
          {connect_url !== null && (
            <Button look="primary" onClick={() => location.assign(connect_url)}>
              Go there and allow it
            </Button>
          )}
        </>
      }
    >
      <div className="field">
        <span className="field__label">Redirect address</span>
        <div className="reveal">
          <code className="reveal__value">{made.redirect_uri}</code>
          <CopyButton text={made.redirect_uri} label="Copy the redirect address" />
        </div>
        <p className="field__hint">
          The app at the service must name exactly this address as where people come back to.
        </p>
      </div>
    </Dialog>
  );
}
