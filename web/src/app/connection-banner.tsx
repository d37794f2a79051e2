import { CircleCheck, CloudOff } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { client } from '../data/client.ts';
import { connection } from '../data/live/connection.ts';
import { useStore } from '../data/store.ts';
import { t } from '../i18n/index.ts';

/** ms between two health checks, and how long the success message is shown. */
const CHECK_INTERVAL_MS = 2_000;
const RECOVERED_DURATION_MS = 2_500;

/** Reports a lost connection, polls until the service responds, and reports that. */
export function ConnectionBanner() {
  const state = useStore(connection);
  const [isBack, setIsBack] = useState(false);
  const wasLost = useRef(false);

  useEffect(() => {
    if (state === 'lost') {
      wasLost.current = true;
      setIsBack(false);
      // Any successful response updates the state.
      const check = (): void =>
        void client.health.live({ retries: 0, timeout: CHECK_INTERVAL_MS }).catch(() => {});
      const timer = setInterval(check, CHECK_INTERVAL_MS);
      addEventListener('online', check);
      return () => {
        clearInterval(timer);
        removeEventListener('online', check);
      };
    }
    if (!wasLost.current) return;
    wasLost.current = false;
    setIsBack(true);
    const timer = setTimeout(() => setIsBack(false), RECOVERED_DURATION_MS);
    return () => clearTimeout(timer);
  }, [state]);

  return (
    <div role="status">
      {state === 'lost' ? (
        <div className="banner">
          <CloudOff size={15} aria-hidden="true" />
          {t('Connection lost. Your changes are kept in this browser. Reconnecting…')}
        </div>
      ) : (
        isBack && (
          <div className="banner banner--good">
            <CircleCheck size={15} aria-hidden="true" />
            {t('Connection restored.')}
          </div>
        )
      )}
    </div>
  );
}
