// The upstream of W3: responds to every request with the same small JSON, with Node's HTTP server.
import { createServer } from 'node:http';

const body = JSON.stringify({ accepted: true, reference: 'R-1001' });
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
createServer((req, res) => {
  req.resume();
  req.once('end', () => res.writeHead(200, headers).end(body));
}).listen(Number(process.env.PORT), '127.0.0.1');
