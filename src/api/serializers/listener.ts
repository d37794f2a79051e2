import type { Listener } from '../../services/webhooks/listen.service.ts';
import { formatIsoTime } from '../../lib/time/iso-time.ts';

export function presentListener({ url, method, expiresAt, nodeId }: Listener) {
  return { url, method, expires_at: formatIsoTime(expiresAt), node_id: nodeId };
}
