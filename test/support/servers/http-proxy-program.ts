import { createServer, request as ask } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

// A forward proxy as a separate process. First argument: the required credentials (`user:password`), or "".
// Second: the response to a CONNECT instead of a tunnel: a status, `hang`, `garbage`, `close`.
// It resolves every name below .test to 127.0.0.1, and prints a line for each request.
const [, , credentials = '', behavior = 'tunnel'] = process.argv;
const wanted = credentials === '' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`;
const resolveHost = (host: string): string => (host.endsWith('.test') ? '127.0.0.1' : host);
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const server = createServer((request, response) => {
  const given = request.headers['proxy-authorization'];
  print({ method: request.method, target: request.url, host: request.headers.host, given });
  if (wanted !== null && given !== wanted) {
    response.writeHead(407, { 'proxy-authenticate': 'Basic realm="proxy"' }).end('credentials, please');
    return;
  }
  const url = new URL(request.url ?? '');
  const { 'proxy-authorization': _, ...headers } = request.headers;
  const onward = ask(
    {
      host: resolveHost(url.hostname),
      port: url.port,
      path: url.pathname + url.search,
      method: request.method,
      headers,
    },
    (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    },
  );
  onward.on('error', () => response.writeHead(502).end());
  request.pipe(onward);
});
server.on('connect', (request, socket, rest) => {
  socket.on('error', () => {});
  const given = request.headers['proxy-authorization'];
  print({ method: 'CONNECT', target: request.url, given });
  if (wanted !== null && given !== wanted) return socket.end('HTTP/1.1 407 Credentials\r\n\r\n');
  if (/^\d+$/.test(behavior)) return socket.end(`HTTP/1.1 ${behavior} No\r\nContent-Length: 2\r\n\r\nno`);
  if (behavior === 'hang') return socket;
  if (behavior === 'garbage') return socket.end('SSH-2.0-proxy\r\n\r\n');
  if (behavior === 'close') return socket.destroy();
  const [host = '', port = ''] = (request.url ?? '').split(':');
  const far = connect(Number(port), resolveHost(host), () => {
    socket.write('HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n');
    far.write(rest);
    socket.pipe(far).pipe(socket);
  });
  far.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  return socket;
});
server.listen(0, '127.0.0.1', () => print({ port: (server.address() as AddressInfo).port }));
