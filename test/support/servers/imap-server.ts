import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loopbackCertificate, loopbackKey } from './tls-certificates.ts';
import { freePort } from './free-port.ts';

/** ms after which a server that does not respond counts as failed. */
const START_TIMEOUT_MS = 10_000;
const isRoot = process.getuid?.() === 0;

/**
 * The Dovecot program. Null when it is missing (apt-get install dovecot-imapd): tests that need it are
 * skipped.
 */
export const imapProgram: string | null =
  ['/usr/sbin/dovecot', '/usr/local/sbin/dovecot'].find((file) => existsSync(file)) ?? null;

/** A Dovecot server on free ports, with its mailboxes in a temporary folder. */
export type ImapServer = {
  /** With TLS from the start. */
  readonly port: number;
  /** With STARTTLS. */
  readonly plainPort: number;
  readonly user: string;
  readonly password: string;
  /** A file with the certificate, for NODE_EXTRA_CA_CERTS. */
  readonly caFile: string;
  /** Puts a message into a mailbox, as a delivery does; the file name identifies it. */
  deliver(message: string | Buffer, options?: { mailbox?: string; receivedAt?: Date }): void;
  /** File names of messages in a mailbox, with their flags in Maildir's form. */
  list(mailbox?: string): string[];
  /** Lets the server assign new UIDs and another UID validity to all messages, as after a restored backup. */
  renumber(mailbox?: string): void;
  log(): string;
  stop(): Promise<void>;
};

function accountId(flag: '-u' | '-g', name: string): number {
  return Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
}

export async function startImapServer(
  tls: { certificate: string; key: string } = { certificate: loopbackCertificate, key: loopbackKey },
): Promise<ImapServer> {
  if (imapProgram === null) throw new Error('Dovecot is not installed');
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-imap-'));
  const [port, plainPort] = [await freePort(), await freePort()];
  const [user, password] = ['ada', 'correct horse battery staple'];
  // Dovecot delivers no mail to root.
  const owner = isRoot
    ? { uid: accountId('-u', 'nobody'), gid: accountId('-g', 'nobody') }
    : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const file = (name: string): string => path.join(folder, name);
  chmodSync(folder, 0o755);
  const home = file('mail');
  mkdirSync(home);
  if (isRoot) chownSync(home, owner.uid, owner.gid);
  writeFileSync(file('server.crt'), tls.certificate);
  writeFileSync(file('server.key'), tls.key);
  writeFileSync(file('users'), `${user}:{PLAIN}${password}:${owner.uid}:${owner.gid}::${home}::\n`);
  const self = spawnSync('id', ['-un'], { encoding: 'utf8' }).stdout.trim();
  writeFileSync(
    file('dovecot.conf'),
    `protocols = imap
base_dir = ${file('run')}
state_dir = ${file('state')}
log_path = ${file('log')}
listen = 127.0.0.1
ssl = required
ssl_cert = <${file('server.crt')}
ssl_key = <${file('server.key')}
first_valid_uid = 1
mail_location = maildir:~/Maildir
maildir_stat_dirs = yes
mail_fsync = never
default_process_limit = 200
mail_max_userip_connections = 100
${isRoot ? '' : `default_internal_user = ${self}\ndefault_internal_group = ${spawnSync('id', ['-gn'], { encoding: 'utf8' }).stdout.trim()}\ndefault_login_user = ${self}\n`}
passdb {
  driver = passwd-file
  args = ${file('users')}
}
userdb {
  driver = passwd-file
  args = ${file('users')}
}
service imap-login {
  ${isRoot ? '' : 'chroot = '}
  inet_listener imap {
    port = ${plainPort}
  }
  inet_listener imaps {
    port = ${port}
    ssl = yes
  }
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Archive {
    auto = create
  }
}
`,
  );
  const child: ChildProcess = spawn(imapProgram, ['-F', '-c', file('dovecot.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = performance.now() + START_TIMEOUT_MS;
  while (!(await isListening(port))) {
    if (performance.now() > end || child.exitCode !== null) throw new Error('Dovecot did not start');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }

  const root = (mailbox: string): string =>
    path.join(home, 'Maildir', mailbox === 'INBOX' ? '' : `.${mailbox}`);
  const give = (where: string): void => {
    if (isRoot) chownSync(where, owner.uid, owner.gid);
  };
  for (const name of ['', 'new', 'cur', 'tmp']) {
    mkdirSync(path.join(root('INBOX'), name), { recursive: true });
    give(path.join(root('INBOX'), name));
  }
  let count = 0;
  return {
    port,
    plainPort,
    user,
    password,
    caFile: file('server.crt'),
    deliver(message, { mailbox = 'INBOX', receivedAt } = {}) {
      const name = `${Math.floor((receivedAt?.getTime() ?? Date.now()) / 1000)}.${String(++count).padStart(6, '0')}.test`;
      const fresh = path.join(root(mailbox), 'tmp', name);
      writeFileSync(fresh, message);
      give(fresh);
      if (receivedAt !== undefined) spawnSync('touch', ['-d', receivedAt.toISOString(), fresh]);
      renameSync(fresh, path.join(root(mailbox), 'new', name));
    },
    list: (mailbox = 'INBOX') =>
      ['new', 'cur'].flatMap((part) => {
        const where = path.join(root(mailbox), part);
        return existsSync(where) ? readdirSync(where) : [];
      }),
    renumber(mailbox = 'INBOX') {
      for (const name of readdirSync(root(mailbox)))
        if (/^dovecot[.-]/.test(name)) rmSync(path.join(root(mailbox), name));
    },
    log: () => spawnSync('cat', [file('log')], { encoding: 'utf8' }).stdout,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
