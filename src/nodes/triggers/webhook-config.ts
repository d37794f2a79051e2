import { Type } from 'typebox';
import { senderPresetNames } from '../../contract/webhooks/webhook-presets.ts';
import { closed, duration, mapOf, oneOfTexts, secretName } from '../schema.ts';
import { verificationSchema } from './verification-config.ts';
import { output, schemaOfField } from '../output-schema.ts';
import { ui } from '../ui-hints.ts';

const MAX_FIELDS = 200;
const MAX_ORIGINS = 50;
const MAX_CREDENTIAL_HEADERS = 5;
const MAX_TOPICS = 50;

export const webhook = closed(
  {
    triggerType: Type.Literal('webhook'),
    endpoint: Type.String({
      minLength: 1,
      maxLength: 500,
      title: 'Path',
      ...ui({
        order: 2,
        placeholder: 'orders',
        hint: 'The part of the URL after /webhooks/. A segment such as :id is a parameter.',
      }),
      description:
        'The path after {base_url}/webhooks/. A segment such as :id is a parameter. The first segment belongs to one user; an endpoint that starts with a parameter is available only under {base_url}/webhooks/{workflow_id}/.',
    }),
    method: Type.Optional(
      oneOfTexts(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], {
        title: 'Method',
        ...ui({ order: 1 }),
        default: 'POST',
      }),
    ),
    authentication: oneOfTexts(['none', 'basic', 'bearer', 'api_key', 'hmac', 'sender'], {
      title: 'Authentication',
      ...ui({
        order: 3,
        hint: '',
        labels: {
          none: 'None: any caller',
          basic: 'User name and password',
          bearer: 'Bearer token',
          api_key: 'API key in X-API-Key',
          hmac: 'HMAC signature',
          sender: 'Signature of a service',
        },
      }),
      description:
        'How callers authenticate. There is no default: set none to accept any caller. sender verifies signed requests of a service: set preset for a known service, or verification for any other.',
    }),
    secret: Type.Optional(
      secretName({
        minLength: 1,
        maxLength: 200,
        title: 'Secret',
        ...ui({
          order: 5,
          showWhen: { authentication: ['basic', 'bearer', 'api_key', 'hmac', 'sender'] },
          hint: 'The stored secret with the password (user:password), token or key that callers must use.',
        }),
        description:
          'The name of a stored secret that contains user:password (basic), the token (bearer), the key sent in X-API-Key (api_key), the HMAC key (hmac), or the token or key shared with the sender (sender).',
      }),
    ),
    scheme: Type.Optional(
      oneOfTexts(['weft', 'standard', 'github', 'stripe', 'slack'], {
        default: 'weft',
        title: 'Signature scheme',
        ...ui({
          order: 4,
          showWhen: { authentication: 'hmac' },
          hint: '',
          labels: {
            weft: 'Weft',
            standard: 'Standard Webhooks',
            github: 'GitHub',
            stripe: 'Stripe',
            slack: 'Slack',
          },
        }),
        description: 'The signature scheme of hmac: weft, or that of a known sender.',
      }),
    ),
    preset: Type.Optional(
      oneOfTexts(senderPresetNames, {
        title: 'Service',
        ...ui({
          order: 4,
          showWhen: { authentication: 'sender' },
          hint: 'For another service, add Custom verification.',
        }),
        description: 'The service that sends the requests, with authentication sender.',
      }),
    ),
    verification: Type.Optional({
      ...verificationSchema,
      title: 'Custom verification',
      ...ui({ advanced: true, showWhen: { authentication: 'sender' }, hint: '' }),
    }),
    publicKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        title: 'Public key',
        ...ui({ advanced: true, showWhen: { authentication: 'sender' } }),
        description:
          'The public key of the sender, for Ed25519 and ECDSA: PEM, DER in base64, or a 32-byte Ed25519 key in hex or base64.',
      }),
    ),
    verifySecret: Type.Optional(
      secretName({
        minLength: 1,
        maxLength: 200,
        title: 'Verify token of Meta',
        ...ui({ advanced: true, showWhen: { authentication: 'sender' } }),
        description:
          'The name of a stored secret that contains the verify token of Meta. A GET request with this token receives its challenge as the response.',
      }),
    ),
    topicArns: Type.Optional(
      Type.Array(
        Type.String({
          maxLength: 400,
          pattern: String.raw`^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]+(?:\.fifo)?$`,
        }),
        {
          minItems: 1,
          maxItems: MAX_TOPICS,
          title: 'Amazon SNS topics',
          ...ui({ advanced: true, showWhen: { authentication: 'sender' } }),
          description:
            'The Amazon SNS topics that may call, such as arn:aws:sns:eu-west-1:123456789012:orders. Their subscriptions are confirmed automatically.',
        },
      ),
    ),
    cloudEventsOrigins: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
        minItems: 1,
        maxItems: MAX_ORIGINS,
        title: 'CloudEvents origins',
        ...ui({ advanced: true }),
        description:
          'CloudEvents senders whose OPTIONS validation is accepted, by WebHook-Request-Origin such as eventgrid.azure.net, or "*". Default: none.',
      }),
    ),
    rawBody: Type.Optional(
      Type.Boolean({
        default: false,
        title: 'Include the raw body',
        ...ui({ advanced: true, hint: 'Adds raw, the unparsed body of up to 4 MiB, to the output.' }),
        description:
          'Whether the output also contains the unparsed body: raw, and raw_encoding (utf8, or base64 if the body is not UTF-8). The body is then limited to 4 MiB.',
      }),
    ),
    expectedSchema: Type.Optional(
      mapOf(oneOfTexts(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null', 'any']), {
        maxProperties: MAX_FIELDS,
        title: 'Required body fields',
        ...ui({ advanced: true }),
        description: 'Required fields of the body and their types. Other requests are rejected with 400.',
      }),
    ),
    respond: Type.Optional(
      oneOfTexts(['immediately', 'on_completion', 'respond', 'stream'], {
        default: 'immediately',
        title: 'Response',
        ...ui({
          order: 6,
          hint: '',
          labels: {
            immediately: 'Immediately',
            on_completion: 'When the workflow completes',
            respond: 'By a Respond node',
            stream: 'As a stream of events',
          },
        }),
        description:
          'The response: immediately, on completion, by a respond node, or the stream of the execution as server-sent events.',
      }),
    ),
    timeout: Type.Optional(
      duration({
        default: '30s',
        title: 'Response timeout',
        ...ui({
          order: 7,
          showWhen: { respond: ['on_completion', 'respond'] },
          hint: 'How long the caller waits, up to 15m.',
        }),
        description: 'Maximum time that the caller waits for the response, up to 15m.',
      }),
    ),
    credentialHeaders: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        maxItems: MAX_CREDENTIAL_HEADERS,
        title: 'Credential headers',
        ...ui({ advanced: true }),
        description:
          'Credential headers to include in headers: authorization, proxy-authorization, x-api-key, cookie, or the token header of the sender. Default: none.',
      }),
    ),
    cors: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
        minItems: 1,
        maxItems: MAX_ORIGINS,
        title: 'Allowed browser origins (CORS)',
        ...ui({ advanced: true }),
        description:
          'Origins that may call this endpoint from a browser, such as https://shop.example.com, or "*". Default: none.',
      }),
    ),
    deduplicate: Type.Optional(
      Type.String({
        minLength: 1,
        title: 'Deduplication key',
        ...ui({
          advanced: true,
          placeholder: '{{ body.id }}',
          hint: 'A template. A request with the same result does not start another execution.',
        }),
        description:
          'A template that uses body, query, headers, params and method. A request with the same value does not start another execution.',
      }),
    ),
  },
  {
    title: 'Webhook',
    ...output(
      Type.Object({
        body: Type.Unsafe(schemaOfField('expectedSchema')),
        query: Type.Object({}),
        headers: Type.Object({ 'content-type': Type.String({ examples: ['application/json'] }) }),
        params: Type.Object({}),
        method: Type.String({ examples: ['POST'] }),
      }),
    ),
  },
);
