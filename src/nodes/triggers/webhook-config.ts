import { Type } from 'typebox';
import { senderPresetNames } from '../../contract/webhook-presets.ts';
import { closed, duration, mapOf, oneOfTexts, secretName } from '../schema.ts';
import { verificationSchema } from './verification-config.ts';

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
      description:
        'The path after {base_url}/webhooks/. A segment such as :id is a parameter. The first segment belongs to one user; an endpoint that starts with a parameter is available only under {base_url}/webhooks/{workflow_id}/.',
    }),
    method: Type.Optional(oneOfTexts(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { default: 'POST' })),
    authentication: oneOfTexts(['none', 'basic', 'bearer', 'api_key', 'hmac', 'sender'], {
      description:
        'How callers authenticate. There is no default: set none to accept any caller. sender verifies signed requests of a service: set preset for a known service, or verification for any other.',
    }),
    secret: Type.Optional(
      secretName({
        minLength: 1,
        maxLength: 200,
        description:
          'The name of a stored secret that contains user:password (basic), the token (bearer), the key sent in X-API-Key (api_key), the HMAC key (hmac), or the token or key shared with the sender (sender).',
      }),
    ),
    scheme: Type.Optional(
      oneOfTexts(['weft', 'standard', 'github', 'stripe', 'slack'], {
        default: 'weft',
        description: 'The signature scheme of hmac: weft, or that of a known sender.',
      }),
    ),
    preset: Type.Optional(
      oneOfTexts(senderPresetNames, {
        description: 'The service that sends the requests, with authentication sender.',
      }),
    ),
    verification: Type.Optional(verificationSchema),
    publicKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description:
          'The public key of the sender, for Ed25519 and ECDSA: PEM, DER in base64, or a 32-byte Ed25519 key in hex or base64.',
      }),
    ),
    verifySecret: Type.Optional(
      secretName({
        minLength: 1,
        maxLength: 200,
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
          description:
            'The Amazon SNS topics that may call, such as arn:aws:sns:eu-west-1:123456789012:orders. Their subscriptions are confirmed automatically.',
        },
      ),
    ),
    cloudEventsOrigins: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
        minItems: 1,
        maxItems: MAX_ORIGINS,
        description:
          'CloudEvents senders whose OPTIONS validation is accepted, by WebHook-Request-Origin such as eventgrid.azure.net, or "*". Default: none.',
      }),
    ),
    rawBody: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether the output also contains the unparsed body: raw, and raw_encoding (utf8, or base64 if the body is not UTF-8). The body is then limited to 4 MiB.',
      }),
    ),
    expectedSchema: Type.Optional(
      mapOf(oneOfTexts(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null', 'any']), {
        maxProperties: MAX_FIELDS,
        description: 'Required fields of the body and their types. Other requests are rejected with 400.',
      }),
    ),
    respond: Type.Optional(
      oneOfTexts(['immediately', 'on_completion', 'respond'], {
        default: 'immediately',
        description: 'When the response is sent: immediately, on completion, or by a respond node.',
      }),
    ),
    timeout: Type.Optional(
      duration({
        default: '30s',
        description: 'Maximum time that the caller waits for the response, up to 15m.',
      }),
    ),
    credentialHeaders: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        maxItems: MAX_CREDENTIAL_HEADERS,
        description:
          'Credential headers to include in headers: authorization, proxy-authorization, x-api-key, cookie, or the token header of the sender. Default: none.',
      }),
    ),
    cors: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
        minItems: 1,
        maxItems: MAX_ORIGINS,
        description:
          'Origins that may call this endpoint from a browser, such as https://shop.example.com, or "*". Default: none.',
      }),
    ),
    deduplicate: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'A template that uses body, query, headers, params and method. A request with the same value does not start another execution.',
      }),
    ),
  },
  { title: 'Webhook' },
);
