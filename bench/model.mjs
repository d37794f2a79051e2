// A model behind OpenAI's chat completions that writes words at a fixed pace, and a tool. A word has the time
// at which it was sent. Every turn but the last calls the tool. No text is written before POST /go.
import { createServer } from 'node:http';

const TURNS = Number(process.env.TURNS);
const WORDS = Number(process.env.WORDS);
const INTERVAL_MS = 1_000 / Number(process.env.WORDS_PER_SECOND);

let isOpen = false;
let waiting = [];

const listen = (port) => createServer(receive).listen(Number(port), '127.0.0.1');
// The service opens at most 128 connections to one address.
process.env.PORTS.split(',').forEach(listen);

function receive(req, res) {
  let body = '';
  req.on('data', (chunk) => (body += chunk));
  req.once('end', () => {
    if (req.url === '/go') {
      isOpen = true;
      for (const write of waiting) write();
      waiting = [];
    }
    if (req.url !== '/v1/chat/completions') {
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"found":true}');
      return;
    }
    const turn = JSON.parse(body).messages.filter(({ role }) => role === 'assistant').length;
    if (isOpen) write(res, turn);
    else waiting.push(() => write(res, turn));
  });
}

function write(res, turn) {
  const send = (fields) =>
    res.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields })}\n\n`,
    );
  const delta = (fields, reason = null) =>
    send({ choices: [{ index: 0, delta: fields, finish_reason: reason }] });
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  delta({ role: 'assistant' });
  let words = 0;
  const writeWord = () => {
    if (res.destroyed) return clearInterval(timer);
    if (words++ < WORDS) return delta({ content: `${Date.now()}---- ` });
    clearInterval(timer);
    const isLast = turn + 1 >= TURNS;
    if (!isLast)
      delta({
        tool_calls: [
          { index: 0, id: `call_${turn}`, type: 'function', function: { name: 'look', arguments: '{}' } },
        ],
      });
    delta({}, isLast ? 'stop' : 'tool_calls');
    send({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } });
    res.end('data: [DONE]\n\n');
  };
  // Streams that began together write at different times.
  let timer = setTimeout(() => {
    timer = setInterval(writeWord, INTERVAL_MS);
  }, Math.random() * INTERVAL_MS);
}
