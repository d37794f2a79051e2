import { randomBytes } from 'node:crypto';
import { deriveKeys } from '../../src/auth/secret-key.ts';
import { createSessionTokens } from '../../src/auth/session-token.ts';
import { scopes, type Scope } from '../../src/contract/scopes.ts';
import { startInProcess, type InProcess } from '../harness/in-process.ts';
import { adminEmail, adminPassword, caller, temporaryFolder, type Call } from '../harness/service.ts';

export type Headers = Record<string, string>;
export type Person = { readonly id: string; readonly email: string; readonly password: string };

/** A service with three people in it: an administrator, a member, and another member who owns nothing of theirs. */
export type World = {
  readonly weft: InProcess;
  readonly admin: Person;
  readonly member: Person;
  readonly other: Person;
  /** A new session of its own each time. */
  session(person: Person): Promise<Headers>;
  /** An API key with these scopes; null: all that its owner may. */
  apiKey(
    person: Person,
    scopes: readonly Scope[] | null,
    expiresAt?: string,
  ): Promise<Headers & { id: string }>;
  /** A token that was right until an hour ago. */
  expiredSession(person: Person): Promise<Headers>;
  as(headers: Headers): Call;
  close(): Promise<void>;
};

export async function createWorld(): Promise<World> {
  const folder = temporaryFolder();
  const secret = randomBytes(32).toString('base64');
  const weft = await startInProcess({
    dataDir: folder.path,
    env: { WEFT_SECRET_KEY: secret, WEFT_RATE_LIMIT_STANDARD: 'unlimited' },
  });
  const tokens = createSessionTokens(deriveKeys(Buffer.from(secret, 'base64')).tokens);
  const as = (headers: Headers): Call => caller(weft.url, headers);

  async function login(email: string, password: string): Promise<{ token: string; id: string }> {
    const answer = await weft.call('POST', '/auth/login', { body: { email, password } });
    if (answer.status !== 200) throw new Error(answer.text);
    const { token, user } = answer.body as { token: string; user: { id: string } };
    return { token, id: user.id };
  }
  const first = await login(adminEmail, adminPassword);
  const admin: Person = { id: first.id, email: adminEmail, password: adminPassword };
  const asAdmin = as({ authorization: `Bearer ${first.token}` });

  async function createMember(email: string): Promise<Person> {
    const password = 'a password of twenty';
    const answer = await asAdmin('POST', '/users', { body: { email, password, name: email } });
    if (answer.status !== 201) throw new Error(answer.text);
    return { id: (answer.body as { id: string }).id, email, password };
  }

  const session = async (person: Person): Promise<Headers> => ({
    authorization: `Bearer ${(await login(person.email, person.password)).token}`,
  });

  return {
    weft,
    admin,
    member: await createMember('member@example.com'),
    other: await createMember('other@example.com'),
    session,
    async apiKey(person, wanted, expiresAt) {
      const answer = await as(await session(person))('POST', '/api-keys', {
        body: {
          name: 'a key',
          scopes: wanted,
          ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
        },
      });
      if (answer.status !== 201) throw new Error(answer.text);
      const { id, key } = answer.body as { id: string; key: string };
      return { id, 'x-api-key': key };
    },
    async expiredSession(person) {
      const { token } = await login(person.email, person.password);
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
        sid: string;
        jti: string;
      };
      const signed = await tokens.sign({
        userId: person.id,
        sessionId: claims.sid,
        tokenId: claims.jti,
        issuedAt: Date.now() - 2 * 3_600_000,
      });
      return { authorization: `Bearer ${signed.token}` };
    },
    as,
    async close() {
      await weft.service.stop();
      folder.remove();
    },
  };
}

/** All scopes but this one. */
export function without(scope: Scope): Scope[] {
  return scopes.filter((one) => one !== scope);
}
