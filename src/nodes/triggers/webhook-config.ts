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
        'The path behind {base_url}/webhooks/; a segment such as :id is a parameter. The first segment belongs to one user; an endpoint that begins with a parameter is served at {base_url}/webhooks/{workflow_id}/ only.',
    }),
    method: Type.Optional(oneOfTexts(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { default: 'POST' })),
    authentication: oneOfTexts(['none', 'basic', 'bearer', 'api_key', 'hmac', 'sender'], {
      description:
        'How callers prove who they are. Never open by default: none must be written. sender checks requests as the service that sends them signs them: a known one by preset, any other by verification.',
    }),
    secret: Type.Optional(
      secretName({
        minLength: 1,
        maxLength: 200,
        description:
          'The name of a stored secret. It holds user:password (basic), the token (bearer), the key that is sent in X-API-Key (api_key), the HMAC key (hmac), or the token or key that is shared with the sender.',
      }),
    ),
    scheme: Type.Optional(
      oneOfTexts(['weft', 'standard', 'github', 'stripe', 'slack'], {
        default: 'weft',
        description: "Whose signature hmac checks: Weft's own or that of a known sender.",
      }),
    ),
    preset: Type.Optional(
      oneOfTexts(senderPresetNames, { description: 'The known sender of authentication sender.' }),
    ),
    verification: Type.Optional(verificationSchema),
    publicKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description:
          "The sender's public key, for Ed25519 and ECDSA: PEM, base64 of its DER, or the 32 bytes of an Ed25519 key in hex or base64.",
      }),
    ),
    verifySecret: Type.Optional(
      secretName({
        minLength: 1,
        maxLength: 200,
        description:
          'The name of a stored secret with the verify token of Meta. A GET that carries it is answered with its challenge.',
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
            'The topics of Amazon SNS that may call, such as arn:aws:sns:eu-west-1:123456789012:orders. Their subscriptions are confirmed.',
        },
      ),
    ),
    cloudEventsOrigins: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
        minItems: 1,
        maxItems: MAX_ORIGINS,
        description:
          'Senders of CloudEvents that are told by OPTIONS that they may call, by their WebHook-Request-Origin, such as eventgrid.azure.net, or "*". Default: none.',
      }),
    ),
    rawBody: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether the workflow also gets the bytes of the body as they were sent: raw, a text when it is UTF-8, else base64, and raw_encoding, utf8 or base64. The body then has at most 4 MiB.',
      }),
    ),
    expectedSchema: Type.Optional(
      mapOf(oneOfTexts(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null', 'any']), {
        maxProperties: MAX_FIELDS,
        description: "The body's required fields and their types; anything else gets a 400.",
      }),
    ),
    respond: Type.Optional(
      oneOfTexts(['immediately', 'on_completion', 'respond'], {
        default: 'immediately',
        description: 'When the caller gets an answer: at once, at the end, or from a respond node.',
      }),
    ),
    timeout: Type.Optional(
      duration({ default: '30s', description: 'How long the caller may wait for an answer, at most 15m.' }),
    ),
    credentialHeaders: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        maxItems: MAX_CREDENTIAL_HEADERS,
        description:
          'Credential headers that the workflow receives in headers: authorization, proxy-authorization, x-api-key, cookie, or the header of the token that a sender sends. Default: none.',
      }),
    ),
    cors: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
        minItems: 1,
        maxItems: MAX_ORIGINS,
        description:
          'Origins whose pages may call this endpoint from a browser, such as https://shop.example.com, or "*". Default: none.',
      }),
    ),
    deduplicate: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'A template over {body, query, headers, params, method}; a repeat of its value starts nothing new.',
      }),
    ),
  },
  { title: 'Webhook' },
);
