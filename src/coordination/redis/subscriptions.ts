import type { RedisConnection } from './connection.ts';

/** Interval between two heartbeats, and the time (ms) without one after which a process is removed. */
const HEARTBEAT_INTERVAL_MS = 1_000;
const EXPIRY_MS = 4_000;

type Message = {
  from: string;
  /** How often this process has changed its owners. A process with another number requests the full list. */
  version: number;
} & (
  | { kind: 'more' | 'less'; owner: string }
  | { kind: 'all'; owners: string[]; ask: boolean }
  | { kind: 'here' }
  | { kind: 'ask'; of: string }
  | { kind: 'bye' }
);
type Peer = { owners: Set<string>; version: number; seenAt: number };

/** Owners whose events other processes subscribe to, so that events without subscribers are not published. */
export type RedisSubscriptions = {
  isWanted(ownerId: string): boolean;
  /** Announces that this process subscribes to an owner's events, or no longer does. */
  announceInterest(ownerId: string, wanted: boolean): void;
  close(): void;
};

export function createRedisSubscriptions(
  link: RedisConnection,
  clock: { now(): number; after(ms: number, run: () => void): () => void },
): RedisSubscriptions {
  const channel = `${link.prefix}:interest`;
  const own = new Set<string>();
  const peers = new Map<string, Peer>();
  /** The number of other processes that subscribe to an owner's events. */
  const counts = new Map<string, number>();
  let version = 0;

  function add(other: Peer, owner: string): void {
    if (other.owners.has(owner)) return;
    other.owners.add(owner);
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  function remove(other: Peer, owner: string): void {
    if (!other.owners.delete(owner)) return;
    const left = (counts.get(owner) ?? 1) - 1;
    if (left === 0) counts.delete(owner);
    else counts.set(owner, left);
  }
  function removePeer(name: string): void {
    const other = peers.get(name);
    if (other === undefined) return;
    for (const owner of other.owners) remove(other, owner);
    peers.delete(name);
  }

  function publish(what: DistributiveOmit<Message, 'from' | 'version'>): void {
    link.publish(channel, JSON.stringify({ from: link.self, version, ...what }));
  }
  const publishAll = (ask: boolean): void => publish({ kind: 'all', owners: [...own], ask });

  function receive(text: string): void {
    const message = JSON.parse(text) as Message;
    const { from } = message;
    if (from === link.self) return;
    if (message.kind === 'bye') return removePeer(from);
    const known = peers.get(from);
    const other = known ?? { owners: new Set<string>(), version: -1, seenAt: 0 };
    peers.set(from, other);
    other.seenAt = clock.now();
    if (message.kind === 'all') {
      for (const owner of other.owners) remove(other, owner);
      for (const owner of message.owners) add(other, owner);
      other.version = message.version;
      if (message.ask) publishAll(false);
    } else if (message.kind === 'more' || message.kind === 'less') {
      (message.kind === 'more' ? add : remove)(other, message.owner);
      // Otherwise a message was missed, and the next heartbeat reveals it.
      if (message.version === other.version + 1) other.version = message.version;
    } else if (message.kind === 'ask') {
      if (message.of === link.self) publishAll(false);
    } else if (message.version !== other.version) publish({ kind: 'ask', of: from });
  }

  void link.subscribe(channel, receive);
  link.onUp(() => publishAll(true));
  let cancel = clock.after(HEARTBEAT_INTERVAL_MS, sendHeartbeat);
  function sendHeartbeat(): void {
    cancel = clock.after(HEARTBEAT_INTERVAL_MS, sendHeartbeat);
    const before = clock.now() - EXPIRY_MS;
    for (const [name, { seenAt }] of peers) if (seenAt < before) removePeer(name);
    publish({ kind: 'here' });
  }

  return {
    isWanted: (ownerId) => counts.has(ownerId),
    announceInterest(ownerId, wanted) {
      if (own.has(ownerId) === wanted) return;
      if (wanted) own.add(ownerId);
      else own.delete(ownerId);
      version++;
      publish({ kind: wanted ? 'more' : 'less', owner: ownerId });
    },
    close() {
      cancel();
      publish({ kind: 'bye' });
    },
  };
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
