import type { FastifyRequest } from 'fastify';
import type { RequestOrigin } from '../../contract/principal.ts';

/** The address follows `WEFT_TRUST_PROXY`. */
export function readOrigin({ ip, headers }: FastifyRequest): RequestOrigin {
  return { address: ip, userAgent: headers['user-agent'] ?? null };
}
