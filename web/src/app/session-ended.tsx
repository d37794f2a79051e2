import { sessionState } from '../data/session.ts';
import { queryClient } from '../data/query-client.ts';
import { useStore } from '../data/store.ts';
import { Dialog } from '../ui/dialog.tsx';
import { LoginForm } from './login-form.tsx';

/** Over the page, which stays as it is: what was being worked on is not lost by a session that ended. */
export function SessionEnded({ user }: { user: { id: string; email: string } }) {
  const { session } = useStore(sessionState);
  return (
    <Dialog
      isOpen={session === null}
      isSticky
      onClose={() => {}}
      title="Your session has expired"
      description="Sign in again to continue. Your work on this page is kept."
    >
      <LoginForm
        email={user.email}
        onDone={() => {
          // Somebody else must not find what the one before had open.
          if (sessionState.get().session?.user.id !== user.id) location.assign('/');
          else void queryClient.invalidateQueries();
        }}
      />
    </Dialog>
  );
}
