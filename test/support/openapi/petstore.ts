/** An OpenAPI document of a small API at `server`. */
export function createPetstore(server: string, version = '1.0.0', paths: object = {}) {
  return {
    openapi: '3.1.0',
    info: { title: 'Pet Store', version, description: 'The pets of a store.' },
    servers: [{ url: server }],
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-key', description: 'Of the store.' } },
    },
    security: [{ key: [] }],
    paths: {
      '/pets': {
        get: {
          operationId: 'pets/list',
          summary: 'List the pets',
          tags: ['pets'],
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } }],
          responses: { 200: { description: 'Pets', content: jsonContent({ type: 'array' }) } },
        },
        post: {
          operationId: 'pets/create',
          summary: 'Create a pet',
          tags: ['pets'],
          requestBody: {
            required: true,
            content: jsonContent({
              type: 'object',
              required: ['name'],
              properties: { name: { type: 'string' }, age: { type: 'integer' } },
            }),
          },
          responses: { 201: { description: 'A pet', content: jsonContent({ type: 'object' }) } },
        },
      },
      '/pets/{id}': {
        get: {
          operationId: 'pets/get',
          summary: 'Get a pet',
          tags: ['pets'],
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          responses: { 200: { description: 'A pet', content: jsonContent({ type: 'object' }) } },
        },
      },
      ...paths,
    },
  };
}

export const createDocumentText = (...given: Parameters<typeof createPetstore>): string =>
  JSON.stringify(createPetstore(...given));

function jsonContent(schema: object): object {
  return { 'application/json': { schema } };
}
