import { KeyRound } from 'lucide-react';
import type { ConnectedAccount } from 'weft-client';
import { getProviderMark } from './provider-mark.tsx';
import { getServiceName, useProviders } from './providers.ts';

/** The mark and name of the service of a connection, or the kind of its credential. */
export function ServiceName({ connection }: { connection: ConnectedAccount }) {
  const providers = useProviders(connection.provider !== null);
  const Mark = connection.authentication === null ? getProviderMark(connection.provider) : KeyRound;
  return (
    <span className="service-name">
      <Mark size={12} aria-hidden />
      {getServiceName(connection, providers)}
    </span>
  );
}
