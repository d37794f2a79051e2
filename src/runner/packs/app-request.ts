import { NO_SERVER } from './action-context.ts';
import type { PackAppInput } from './pack-messages.ts';
import { toItem, type Item, type Piece } from './piece.ts';

/* In the process of a pack: reads a request that a service sent to the address of the pack. */

type Callable = (context: unknown) => unknown;

/**
 * Verifies the signature first, so that nothing else of the package sees a request of others. The service
 * validates the result.
 */
export async function readAppRequest(piece: Piece, { url, secret, payload }: PackAppInput): Promise<Item> {
  const events = toItem(piece['events']);
  const { verify, parseAndReply } = events;
  if (typeof verify !== 'function' || typeof parseAndReply !== 'function')
    throw new Error('It cannot read requests of an app');
  const given = { appWebhookUrl: url, webhookSecret: secret, payload };
  if (!(await isVerified(() => (verify as Callable).call(events, given)))) return { isVerified: false };
  const result = toItem(await (parseAndReply as Callable).call(events, { payload, server: NO_SERVER }));
  const { event, identifierValue, reply } = result;
  return { isVerified: true, event, identifier: identifierValue, reply };
}

/** Some packages throw for a signature that is missing or has another length. */
async function isVerified(verify: () => unknown): Promise<boolean> {
  try {
    return (await verify()) === true;
  } catch {
    return false;
  }
}
