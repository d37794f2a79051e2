import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { useLiveUpdates } from '../data/live/live-updates.ts';
import { queryClient } from '../data/query-client.ts';
import { sessionState } from '../data/session.ts';
import { useStore } from '../data/store.ts';
import { useHealthSampling } from '../pages/system/health-feed.ts';
import { Toasts } from '../ui/overlays/toast.tsx';
import { TooltipProvider } from '../ui/overlays/tooltip.tsx';
import { CommandPaletteHost } from './command-palette-host.tsx';
import { LoginPage } from './login-page.tsx';
import { Routes } from './routes.tsx';
import { RunHost } from './run-dialog-host.tsx';
import { SessionEnded } from './session-ended.tsx';
import { Shell } from './shell.tsx';

/** Hover time in ms before a tooltip opens. */
const TOOLTIP_DELAY_MS = 350;

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <TooltipProvider delayDuration={TOOLTIP_DELAY_MS}>
        <Switch>
          <Route path="/login" component={LoginPage} />
          <Route component={SignedIn} />
        </Switch>
        <Toasts />
      </TooltipProvider>
    </QueryClientProvider>
  );
}

function SignedIn() {
  const { session, hasEnded } = useStore(sessionState);
  const [location] = useLocation();
  const lastUser = useRef(session?.user ?? null);
  useLiveUpdates(session !== null);
  useHealthSampling(session !== null);
  useEffect(() => {
    if (session !== null) {
      // Data of one user must not be shown to the next one.
      if (lastUser.current !== null && lastUser.current.id !== session.user.id) queryClient.clear();
      lastUser.current = session.user;
    } else if (!hasEnded) {
      queryClient.clear();
    }
  }, [session, hasEnded]);
  const user = session?.user ?? (hasEnded ? lastUser.current : null);
  if (user === null) {
    const to = location === '/' ? '' : `?to=${encodeURIComponent(location + globalThis.location.search)}`;
    return <Redirect to={`/login${to}`} replace />;
  }
  return (
    <Shell>
      <Routes />
      <RunHost />
      <CommandPaletteHost />
      <SessionEnded user={user} />
    </Shell>
  );
}
