import type { BodyExample } from './body-example.ts';

/** Bodies of the operations of connectors and model providers, by operation. */
export const connectorBodies: Readonly<Record<string, readonly BodyExample[]>> = {
  installPack: [
    {
      title: 'A pack from a document at a URL',
      value: { url: 'https://petstore.example.com/openapi.json', name: 'petstore' },
    },
    {
      title: 'What a new document would change',
      value: { url: 'https://petstore.example.com/openapi.json', name: 'petstore', dry_run: true },
    },
    {
      title: 'A pack from an npm package',
      value: { package: '@activepieces/piece-slack', version: '0.17.9' },
    },
  ],
  putPackApp: [
    {
      title: 'The signing secret of a Slack app',
      value: { signing_secret: '8f742231b10e8888abcd99yyyzzz85a5' },
    },
  ],
  listPackChoices: [
    {
      title: 'The channels of an account',
      value: {
        operation: 'send_channel_message',
        field: 'channel',
        authentication: { type: 'connection', connection: 'slack' },
        search: 'general',
      },
    },
  ],
  listProviderModels: [
    { title: 'The models of OpenAI', value: { provider: 'openai', credentials: '{{ secrets.OPENAI }}' } },
    {
      title: 'The models of Ollama on this machine',
      value: { provider: 'openai_compatible', base_url: 'http://127.0.0.1:11434/v1' },
    },
  ],
  listMcpTools: [
    {
      title: 'The tools of a server that needs a token',
      value: {
        url: 'https://mcp.example.com/mcp',
        authentication: { type: 'bearer', token: '{{ secrets.MCP_TOKEN }}' },
      },
    },
  ],
};
