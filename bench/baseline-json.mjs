// The baseline of the reads: a JSON body of the same size from Fastify, from memory, without authentication.
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

const responses = JSON.parse(readFileSync(process.env.ANSWERS, 'utf8'));
const app = Fastify({ logger: false });
for (const [name, response] of Object.entries(responses)) app.get(`/${name}`, async () => response);
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
