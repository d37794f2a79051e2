import type { FastifyReply } from 'fastify';

export function answerPage(reply: FastifyReply): FastifyReply {
  return reply.type('text/html; charset=utf-8').send('<!doctype html><title>GraphQL</title>');
}
