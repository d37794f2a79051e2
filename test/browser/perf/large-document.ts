const verbs = ['create', 'list', 'get', 'update', 'delete', 'search', 'archive', 'restore'];
const things = ['issue', 'repository', 'pull request', 'comment', 'release', 'webhook', 'branch', 'label'];
const owners = ['organization', 'team', 'user', 'enterprise', 'project', 'workspace', 'gist', 'runner'];

/** An OpenAPI document with operations whose words occur in many others. */
export function createLargeDocument(count: number): object {
  const operations = Array.from({ length: count }, (_, i) => {
    const [verb, thing, owner] = [verbs[i % 8]!, things[(i >> 3) % 8]!, owners[(i >> 6) % 8]!];
    const part = `${thing.replace(' ', '-')}s`;
    return [
      `/${owner}s/{id}/${part}/${i}`,
      {
        post: {
          operationId: `${part}/${verb}-${i}`,
          summary: `${verb} a ${thing} of a ${owner}`,
          tags: [part],
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          responses: { 200: { description: 'The result' } },
        },
      },
    ] as const;
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Large API', version: '1.0.0' },
    servers: [{ url: 'https://api.example.com' }],
    paths: Object.fromEntries(operations),
  };
}
