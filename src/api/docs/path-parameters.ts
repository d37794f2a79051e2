import { idPrefixes } from '../../ports/ids.ts';
import type { JsonObject } from '../../lib/json/json.ts';

/** Descriptions by the path segment before the parameter. */
const descriptions: Readonly<Record<string, { description: string; example: string }>> = {
  'workflows id': {
    description: 'The id of the workflow.',
    example: `${idPrefixes.workflow}_01kjqv8w2mzr4c`,
  },
  'executions id': {
    description: 'The id of the execution.',
    example: `${idPrefixes.execution}_01kjqvk3d8f0ws`,
  },
  'users id': { description: 'The id of the user.', example: `${idPrefixes.user}_01kjqtz9h4n2xe` },
  'api-keys id': { description: 'The id of the API key.', example: `${idPrefixes.apiKey}_01kjqw1b7gq3ta` },
  'files id': {
    description: 'The id of the file, as in `$file.id`.',
    example: `${idPrefixes.file}_01kjqx5w0c9m8r`,
  },
  'attachments file': {
    description: 'The id of the file, as in `attachments[].id`.',
    example: `${idPrefixes.file}_01kjqx5w0c9m8r`,
  },
  'nodes id': { description: 'The id of the node.', example: 'http_request' },
  'secrets name': { description: 'The name of the secret.', example: 'WAREHOUSE_TOKEN' },
  'connection-providers id': { description: 'The id of the provider.', example: 'github' },
  'connections name': { description: 'The name of the connection.', example: 'GITHUB' },
  'versions version': { description: 'The number of the version, from 1.', example: '2' },
  'resume token': {
    description: 'The token of the resume URL of the waiting node.',
    example: 'tok_7Jq2mZr4cK9x',
  },
  'grants id': { description: 'The id of the grant.', example: 'grant_01kjqz' },
  'clients id': { description: 'The `client_id` of the OAuth client.', example: 'client_01kjqy' },
  'threads id': { description: 'The id of the thread.', example: 'th_5f0c1f3a9b2e4d67' },
  'vector-collections name': { description: 'The name of the collection.', example: 'handbook' },
  'templates name': { description: 'The name of the template.', example: 'order_intake' },
};

export function describePathParameters(path: string): JsonObject[] {
  const segments = path.split('/');
  return segments.flatMap((segment, index) => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined) return [];
    const before = segments[index - 1] ?? '';
    const known = descriptions[`${before} ${name}`];
    const description = known?.description ?? `The ${name} in \`${before}\`.`;
    return [
      {
        name,
        in: 'path',
        description,
        required: true,
        schema: { type: 'string', minLength: 1 },
        ...(known === undefined ? {} : { example: known.example }),
      },
    ];
  });
}
