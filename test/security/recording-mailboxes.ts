import { startFakeImapServer, type ImapCommand } from '../support/servers/fake-imap-server.ts';

/** IMAP servers that receive credentials: one accepts all, and one repeats them in its refusal. */
export type RecordingMailboxes = { readonly ports: readonly number[]; close(): Promise<void> };

/** The user and the password of a login; null for other commands. */
function readCredentials({ name, rest }: ImapCommand): string | null {
  if (name === 'LOGIN') return rest.replaceAll(/\\(.)|"/g, '$1');
  if (name !== 'AUTHENTICATE') return null;
  // SASL PLAIN: authorization, user and password.
  const response = Buffer.from(rest.split(' ')[1] ?? '', 'base64');
  return response.toString().replaceAll('\0', ' ');
}

/** `take` receives the user and the password of each login. */
export async function startRecordingMailboxes(
  take: (credentials: string) => void,
): Promise<RecordingMailboxes> {
  const accepting = await startFakeImapServer((command) => {
    const credentials = readCredentials(command);
    if (credentials !== null) take(credentials);
    return undefined;
  });
  const refusing = await startFakeImapServer((command) => {
    const credentials = readCredentials(command);
    if (credentials === null) return undefined;
    return `${command.tag} NO [AUTHENTICATIONFAILED] no user with ${credentials}\r\n`;
  });
  return {
    ports: [accepting.port, refusing.port],
    close: async () => void (await Promise.all([accepting.close(), refusing.close()])),
  };
}
