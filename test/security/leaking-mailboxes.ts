import { startFakeImapServer } from '../support/servers/fake-imap-server.ts';

/** IMAP servers that receive credentials: one accepts all, and one repeats them in its refusal. */
export type LeakingMailboxes = { readonly ports: readonly number[]; close(): Promise<void> };

/** `take` receives the user and the password of each login. */
export async function startLeakingMailboxes(take: (credentials: string) => void): Promise<LeakingMailboxes> {
  /** SASL PLAIN: authorization, user and password. */
  const read = (rest: string): string =>
    Buffer.from(rest.split(' ')[1] ?? '', 'base64')
      .toString()
      .replaceAll('\0', ' ');
  const accepting = await startFakeImapServer(({ name, rest }) => {
    if (name === 'AUTHENTICATE') take(read(rest));
    return undefined;
  });
  const refusing = await startFakeImapServer(({ tag, name, rest }) =>
    name === 'AUTHENTICATE' ? `${tag} NO [AUTHENTICATIONFAILED] no user with ${read(rest)}\r\n` : undefined,
  );
  return {
    ports: [accepting.port, refusing.port],
    close: async () => void (await Promise.all([accepting.close(), refusing.close()])),
  };
}
