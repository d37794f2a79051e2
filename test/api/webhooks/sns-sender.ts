import { sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createProxy, type IncomingMessage, type Server } from 'node:http';
import { createServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';

/*
 * Amazon SNS on this machine: its host name, with a certificate of its own, behind an HTTP proxy. The
 * certificate is worth nothing elsewhere.
 */

export const SNS_HOST = 'sns.eu-west-1.amazonaws.com';
const CERTIFICATE_PATH = '/SimpleNotificationService-0123456789abcdef.pem';

/** Serves the host and signs the messages. */
export const snsCertificate = `-----BEGIN CERTIFICATE-----
MIIDVzCCAj+gAwIBAgIUYCgfBGWGHjQPB43efMHbHTBZV1wwDQYJKoZIhvcNAQEL
BQAwJjEkMCIGA1UEAwwbc25zLmV1LXdlc3QtMS5hbWF6b25hd3MuY29tMCAXDTI2
MTEyNDE2MjkwMloYDzIxMjYxMDMxMTYyOTAyWjAmMSQwIgYDVQQDDBtzbnMuZXUt
d2VzdC0xLmFtYXpvbmF3cy5jb20wggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEK
AoIBAQCnKPxvH7CXXozFGwF2yRE0shE4McfCOGlqXRnvzY6qKojbFfb+VizOkdY/
TqvAKyB+T68BOEaFjGeEuFpAmwERu1TJGKWW/gZGijUEdgXhh+aJ5NBx+dLV/iOp
jkGqMu4EkTBEQ6pgZhiibadwHH1DcGX6zpBJU0B9up9W35lz8Au/bMYL0px/X1s7
6JE9ugU4lI9tuPiiMZtXiEiGkkANjCPdABWynokXzYRIOyH7kfjNvYQfGeWv8qyN
erkTAt+joEeXoYrV3jsBTaOleKJLv69JlNfSIwmrWJoGQhtKe8YaFq4jscUdU9e7
Q2EjQFzFiBwsPom2VbP9y7wi9KJTAgMBAAGjezB5MB0GA1UdDgQWBBSYbcuIg/DH
IbFHXlUWGgGTqqHYgzAfBgNVHSMEGDAWgBSYbcuIg/DHIbFHXlUWGgGTqqHYgzAP
BgNVHRMBAf8EBTADAQH/MCYGA1UdEQQfMB2CG3Nucy5ldS13ZXN0LTEuYW1hem9u
YXdzLmNvbTANBgkqhkiG9w0BAQsFAAOCAQEAXAwc7soXcONU2h8200g8JHZ94wT0
QuunmUpPFBWDgOfhTBlbgKXk11m0CHg9hGU5yEFxMKBFIYyywXjeFCSp4Bw3pTiY
RBOr5jvSuehYTbL1y32Uxwed0Ao3aGf1rBYgkWJLlRwDc12sg4pzOdSKlme4eFek
9gdpmkTN6sFDc9vB2baqsoe7A4B/DtXjMy6lwvtkqk6DamOR5v/RRHzxZIzSRgot
Y1ScR7EsW+i9ws/nqwXEmSacyPSs80UwX0NydNC/7IWKEiU0OrS61FFpC+rD8NyZ
6DHcnrt78soQSX5ClZQcdi2fsg554KkMypUkXLjE2cZOB/s0v5Jy5AIx+A==
-----END CERTIFICATE-----
`;
const snsKey = `-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCnKPxvH7CXXozF
GwF2yRE0shE4McfCOGlqXRnvzY6qKojbFfb+VizOkdY/TqvAKyB+T68BOEaFjGeE
uFpAmwERu1TJGKWW/gZGijUEdgXhh+aJ5NBx+dLV/iOpjkGqMu4EkTBEQ6pgZhii
badwHH1DcGX6zpBJU0B9up9W35lz8Au/bMYL0px/X1s76JE9ugU4lI9tuPiiMZtX
iEiGkkANjCPdABWynokXzYRIOyH7kfjNvYQfGeWv8qyNerkTAt+joEeXoYrV3jsB
TaOleKJLv69JlNfSIwmrWJoGQhtKe8YaFq4jscUdU9e7Q2EjQFzFiBwsPom2VbP9
y7wi9KJTAgMBAAECggEANjO1isjRR3valG0Zz+0Jnbchm0GU/taw49LVfqr+GBJb
twKLyNOjisXCHVwCl/jD/AEVg4U+ZL5usJvgc/Nu6NN//gb2Zpvu5/+Xil9Er+kT
qWHe7x4tLcNOyAN/KlOCV0vGxVPVkpV4Zm687L7oJS50ettw8L3EeyBA23f8d5l3
3tODKyTjeGIHsC/xWD2BlEl9jsWoiYFvlJz1ZLQ73+QIaD6oDsLB0KWi8am4HtVe
ku8nlbNymcK+V6+jtJYF9XrhJ3Xz1ceo4QYQ2SZsKY1zCR4Z0dgKOVjMhzh8glyy
P87VMwrVeslyghsZDEV8YiG/I7h60842udyOn04aOQKBgQDTLVyH0PHdwuUKsDZD
2vJaYHNY3EbwrtZbH+mCIzbHG9UiLOeexkSjlPqgMElv163NzJqkfPFZCJGUvvna
eOzDj7+UMEALGmiyccnIfiWpQrD+OVxiaYTg+3/dAVZsNu/mgb9tNN8SvCd+/nB1
nXz7Lbi0gQMQA0ro94HIEaUnKwKBgQDKo+NYRfK9120qKwaLhVsiVSsciCq0U3Ed
XYfsEYcu5zkmfMgUK7m3Nd0RxXOtWdlSK74vt1L+G5vCca1cDea8NZk+ZTquQQ1I
5a+yIbmhs9x6ySrBlMJGO6SmTHv9TEKXb1IRQmEKjfO0hXYwJ5GuLdCnkLvnzbBq
81woAL/deQKBgDV5MAwIIaao2jyZoDQQdfvinnKq3J/Hden/K67TYeSLLK4JtuDi
jbDqYYg8kevrLkyFeccbCDYmUE7dCQGES1e9x6IrkZv+JPLCk3jcUIcKpyzIs5cL
5yTdKmR5GTwvsRGqWyG5GJ9y24FxxmJR7brgufujC3Z7jvVs7wUNSsefAoGAFVKJ
aZByqmcwpW9BkQzHOiWcE7SASdk93ckptD1j7BuId/RJWVYAhLa2PFh6g5MguvS/
XmX75aEiEqPDihwsW0GIjng4ZH2T2EfS5PuHfOxgFst0JEpy5tD/0j/aDB0qJKUi
DY7ehy3IpwYkGY0QVzOa8QbZvtp15csVt1/c0IECgYEAxtNUe7DPD7n7QM+NMlK9
Hl4TJ9b8tC9dcfOVIXEi3gCmsL0dGqYE65zyDJB1XSW/KZcVut63EO0wDHT1pQYj
KLxzztVXwxWP9zKGjHNIDdOjnyYI6La9Y1xyBCju/RruVly89rhknbd/+NDoSoWb
5oUf2qwvVWHGVZ25ctMKzPw=
-----END PRIVATE KEY-----
`;

export type SnsSender = {
  /** Connects only to the host. */
  readonly proxyUrl: string;
  /** Paths, with their queries, that were asked for. */
  readonly requests: string[];
  /** The response of the host; null: the certificate, and 200 for everything else. */
  respond: ((path: string) => { status: number; body: string | Buffer }) | null;
  /** The port of the host on this machine. */
  readonly port: number;
  close(): Promise<void>;
};

export async function startSnsSender(): Promise<SnsSender> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const host = createServer({ cert: snsCertificate, key: snsKey }, (request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const body = path === CERTIFICATE_PATH ? snsCertificate : '<ConfirmSubscriptionResponse/>';
    const reply = sender.respond?.(path) ?? { status: 200, body };
    response.writeHead(reply.status).end(reply.body);
  });
  const proxy = createProxy();
  proxy.on('connect', (request: IncomingMessage, socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    if (request.url !== `${SNS_HOST}:443`) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const upstream = connect(getPort(host), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    sockets.add(upstream);
    upstream.on('error', () => socket.destroy());
  });
  for (const server of [host, proxy]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const sender: SnsSender = {
    proxyUrl: `http://127.0.0.1:${getPort(proxy)}`,
    requests,
    respond: null,
    port: getPort(host),
    async close() {
      for (const socket of sockets) socket.destroy();
      for (const server of [host, proxy]) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    },
  };
  return sender;
}

function getPort(server: Server): number {
  return (server.address() as AddressInfo).port;
}

export type SnsFields = Record<string, string>;

const SIGNED = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];

/** A signed message, as its fields. `changes` are made before it is signed. */
export function signSns(changes: SnsFields, version: '1' | '2' = '2'): SnsFields {
  const message: SnsFields = {
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: 'arn:aws:sns:eu-west-1:123456789012:orders',
    Message: '{"id":17}',
    Timestamp: new Date().toISOString(),
    SignatureVersion: version,
    SigningCertURL: `https://${SNS_HOST}${CERTIFICATE_PATH}`,
    ...changes,
  };
  const text = SIGNED.filter((name) => message[name] !== undefined && isSigned(message, name))
    .map((name) => `${name}\n${message[name]}\n`)
    .join('');
  const digest = version === '1' ? 'sha1' : 'sha256';
  return { ...message, Signature: sign(digest, Buffer.from(text), snsKey).toString('base64') };
}

function isSigned(message: SnsFields, name: string): boolean {
  if (message['Type'] === 'Notification') return name !== 'SubscribeURL' && name !== 'Token';
  return name !== 'Subject';
}
