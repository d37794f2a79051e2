import type { JsonObject } from '../../src/lib/json/json.ts';
import type { MysqlServer } from '../support/servers/mysql-server.ts';
import type { RedisServer } from '../support/servers/redis-server.ts';

/** One use of a secret: what it contains (default: the canary), and the configuration that reads it. */
export type SecretUse = { secret?: () => string; config: (value: string) => object };
export const use = (config: (value: string) => object, secret?: () => string): SecretUse => ({
  config,
  ...(secret !== undefined && { secret }),
});

/** `closed` is a URL where nothing listens, and `up` one of an HTTP server. A missing server is null. */
type Places = {
  canary: string;
  closed: string;
  up: string;
  mysql: MysqlServer | null;
  redis: RedisServer | null;
};

/** A server that is missing, one that speaks HTTP, the secret as it is, and what a real server says. */
export function listServerUses({ canary, closed, up, mysql, redis }: Places): Record<string, SecretUse[]> {
  const enc = encodeURIComponent(canary);
  const json = (value: object) => () => JSON.stringify(value);
  const [gone, other] = [new URL(closed).port, new URL(up).port];
  const mysqlQuery = (credentials: string) => ({ operation: 'query', credentials, query: 'SELECT 1' });
  const redisGet = (credentials: string) => ({ operation: 'get', credentials, key: 'a' });
  const s3Get = (endpoint: string) => (credentials: string) => ({
    operation: 'get',
    credentials,
    endpoint,
    bucket: 'reports',
    key: 'a',
  });
  const keys = json({ access_key_id: 'AKID', secret_access_key: canary, session_token: canary });
  const ofRedis = () => `redis://u:${enc}@127.0.0.1:${new URL(redis?.url ?? closed).port}/0`;
  const ofMysql = () => `mysql://u:${enc}@127.0.0.1:${mysql?.port ?? gone}/shop`;
  return {
    mysql: [
      use(mysqlQuery, () => `mysql://u:${enc}@127.0.0.1:${gone}/db`),
      use(mysqlQuery, () => `mysql://u:${enc}@127.0.0.1:${other}/db`),
      use(mysqlQuery),
      use(mysqlQuery, ofMysql),
      ...(mysql === null
        ? []
        : [
            use(mysqlQuery, () => mysql?.url ?? ''),
            use((value) => ({
              operation: 'query',
              credentials: '{{ secrets.MYSQL }}',
              query: 'INSERT INTO numbered (id) VALUES (?)',
              parameters: [value],
            })),
          ]),
    ],
    redis: [
      use(redisGet, () => `redis://u:${enc}@127.0.0.1:${gone}`),
      use(redisGet, () => `redis://u:${enc}@127.0.0.1:${other}`),
      use(redisGet),
      use(redisGet, ofRedis),
      ...(redis === null ? [] : [use(redisGet, () => redis?.url ?? '')]),
    ],
    s3: [
      ...[up, `${up}/fail`, `${up}/denied`, `${up}/away`, closed, 'http://10.1.2.3'].map((url) =>
        use(s3Get(url), keys),
      ),
      use(s3Get(up)),
      use(
        (credentials) => ({ operation: 'presign', credentials, endpoint: up, bucket: 'reports', key: 'a' }),
        json({ access_key_id: 'AKID', secret_access_key: canary }),
      ),
    ],
  };
}

export function listPostgresUses(url: string, enc: string): SecretUse[] {
  const wrong = new URL(url);
  wrong.password = enc;
  return [
    use(
      (credentials) => ({ operation: 'query', credentials, query: 'SELECT 1' }),
      () => wrong.href,
    ),
    use(
      (credentials) => ({ operation: 'query', credentials, query: 'SELECT 1' }),
      () => url,
    ),
    use((value) => ({
      operation: 'query',
      credentials: '{{ secrets.DB }}',
      query: 'SELECT $1::int',
      parameters: [value],
    })),
  ];
}

/** Questions that are sent through a mail server. */
export function listQuestionUses(
  ports: readonly number[],
  password: string,
): Record<'approval' | 'form', SecretUse[]> {
  const list = (more: JsonObject): SecretUse[] =>
    ports.map((port) =>
      use(
        (credentials) => ({
          title: 'x',
          deadline: '1s',
          email: { credentials, from: 'a@example.com' },
          ...more,
        }),
        () => `smtp://ada:${password}@127.0.0.1:${port}`,
      ),
    );
  return { approval: list({}), form: list({ fields: [{ type: 'text', name: 'a', label: 'A' }] }) };
}
