import type { ConnectedAccount } from 'weft-client';
import { serviceName, useProviders } from './providers.ts';

/** The service or the kind of a connection. */
export function ServiceName({ connection }: { connection: ConnectedAccount }) {
  return <>{serviceName(connection, useProviders(connection.provider !== null))}</>;
}
