// The baseline of W3: the same call with Fastify and undici, and the row of F2: one SQLite row per request,
// WAL, synchronous=FULL, one commit per event-loop turn, with the response after the commit.
import { mkdtempSync } from 'node:fs';
import Database from 'better-sqlite3';
import Fastify from 'fastify';
import { Agent } from 'undici';

const dir = mkdtempSync('/tmp/weft-baseline-');
const db = new Database(`${dir}/f.db`);
db.pragma('journal_mode=WAL');
db.pragma('synchronous=FULL');
db.exec('create table r(id integer primary key, t integer, status text, body text)');
const insert = db.prepare('insert into r(t,status,body) values(?,?,?)');

let pending = [];
let armed = false;
const commit = () => {
  armed = false;
  const batch = pending;
  pending = [];
  db.transaction(() => {
    for (const row of batch) insert.run(Date.now(), 'completed', row.body);
  })();
  for (const row of batch) row.done();
};
const store = (body) =>
  new Promise((done) => {
    pending.push({ body, done });
    if (armed) return;
    armed = true;
    setImmediate(commit);
  });

const upstream = new URL(process.env.UPSTREAM);
const agent = new Agent();
const app = Fastify({ logger: false });
app.post('/w3', async (req) => {
  const response = await agent.request({
    origin: upstream.origin,
    path: upstream.pathname,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: req.body.name, amount: req.body.amount }),
  });
  const body = await response.body.json();
  await store(JSON.stringify({ body: req.body, answer: body }));
  return { ok: true, status: response.statusCode, answer: body };
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
