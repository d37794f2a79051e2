/** Commands that a node must not send, with the reason as the end of a sentence. */
const refused = new Map<string, string>(
  (
    [
      [
        'it waits for data; use a polling trigger instead',
        'BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP BZPOPMAX BZPOPMIN WAIT WAITAOF',
      ],
      [
        'it subscribes the connection to messages',
        'MONITOR PSUBSCRIBE PUNSUBSCRIBE SSUBSCRIBE SUBSCRIBE SUNSUBSCRIBE UNSUBSCRIBE',
      ],
      [
        'it changes the connection, which others use later; set the user and the database in the credentials, and use EVAL for a transaction',
        'ASKING AUTH CLIENT DISCARD EXEC HELLO MULTI QUIT READONLY READWRITE RESET SELECT UNWATCH WATCH',
      ],
      [
        'it administers the server',
        'ACL BGREWRITEAOF BGSAVE CLUSTER CONFIG DEBUG FAILOVER FLUSHALL FLUSHDB FUNCTION LATENCY MIGRATE MODULE PFDEBUG PFSELFTEST PSYNC REPLCONF REPLICAOF SAVE SCRIPT SHUTDOWN SLAVEOF SLOWLOG SWAPDB SYNC',
      ],
    ] as const
  ).flatMap(([why, names]) => names.split(' ').map((name): [string, string] => [name, why])),
);

/** Returns why a command must not be sent, or null. */
export function findRefusal(command: readonly unknown[]): string | null {
  const [first, ...args] = command;
  const name = typeof first === 'string' ? first.toUpperCase() : '';
  if (!/^[A-Z][A-Z0-9_.-]*$/.test(name)) return 'must start with the name of a command, such as ZADD';
  const why = refused.get(name);
  if (why !== undefined) return `must not be ${name}: ${why}`;
  const words = args.map((arg) => (typeof arg === 'string' ? arg.toUpperCase() : ''));
  const isStream = name === 'XREAD' || name === 'XREADGROUP';
  if (isStream && words.slice(0, words.indexOf('STREAMS')).includes('BLOCK'))
    return `must not be ${name} with BLOCK: it waits for data`;
  return null;
}
