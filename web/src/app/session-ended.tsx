import { sessionState } from '../data/session.ts';
import { queryClient } from '../data/query-client.ts';
import { useStore } from '../data/store.ts';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { LoginForm } from './login-form.tsx';
import { t } from '../i18n/index.ts';

/** The login dialog over the page, which keeps its state: no work is lost when a session expires. */
export function SessionEnded({ user }: { user: { id: string; email: string } }) {
  const { session } = useStore(sessionState);
  return (
    <Dialog
      isOpen={session === null}
      isSticky
      onClose={() => {}}
      title={t('Your session has expired')}
      description={t('Sign in again to continue. Your work on this page is kept.')}
    >
      <LoginForm
        email={user.email}
        onDone={() => {
          // Another user must not see the pages that the previous one had open.
          if (sessionState.get().session?.user.id !== user.id) location.assign('/');
          else void queryClient.invalidateQueries();
        }}
      />
    </Dialog>
  );
}
