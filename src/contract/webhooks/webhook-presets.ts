import type { SnsVerification, Verification } from './webhook-verification.ts';

/** The response to a sender's handshake request, which is not a delivery. */
export type Handshake = 'slack' | 'discord' | 'meta' | 'sns';

export type SenderPreset = {
  /** The displayed name. */
  title: string;
  verification: Verification | SnsVerification;
  handshake?: Handshake;
};

const standard = (name: string): Verification => ({
  type: 'hmac',
  header: `${name}-signature`,
  encoding: 'base64',
  prefix: 'v1,',
  separator: ' ',
  signed: `{header:${name}-id}.{time}.{body}`,
  timestampHeader: `${name}-timestamp`,
  secretEncoding: 'base64',
  secretPrefix: 'whsec_',
  idHeader: `${name}-id`,
});

const hubSignature: Verification = { type: 'hmac', header: 'X-Hub-Signature-256', prefix: 'sha256=' };

/** Presets for known senders, as values of the generic verification. */
export const senderPresets = {
  discord: {
    title: 'Discord interactions',
    verification: {
      type: 'ed25519',
      header: 'X-Signature-Ed25519',
      signed: '{time}{body}',
      timestampHeader: 'X-Signature-Timestamp',
      idField: 'id',
    },
    handshake: 'discord',
  },
  github: { title: 'GitHub', verification: hubSignature },
  gitlab: { title: 'GitLab (secret token)', verification: { type: 'token', header: 'X-Gitlab-Token' } },
  meta: {
    title: 'Meta (WhatsApp, Messenger, Instagram)',
    verification: hubSignature,
    handshake: 'meta',
  },
  sendgrid: {
    title: 'SendGrid event webhook',
    verification: {
      type: 'ecdsa',
      header: 'X-Twilio-Email-Event-Webhook-Signature',
      encoding: 'base64',
      signed: '{time}{body}',
      timestampHeader: 'X-Twilio-Email-Event-Webhook-Timestamp',
    },
  },
  shopify: {
    title: 'Shopify',
    verification: {
      type: 'hmac',
      header: 'X-Shopify-Hmac-Sha256',
      encoding: 'base64',
      idHeader: 'X-Shopify-Webhook-Id',
    },
  },
  slack: {
    title: 'Slack',
    verification: {
      type: 'hmac',
      header: 'X-Slack-Signature',
      prefix: 'v0=',
      signed: 'v0:{time}:{body}',
      timestampHeader: 'X-Slack-Request-Timestamp',
      idField: 'event_id',
    },
    handshake: 'slack',
  },
  sns: {
    title: 'Amazon SNS',
    verification: { type: 'sns', idField: 'MessageId' },
    handshake: 'sns',
  },
  standard: { title: 'Standard Webhooks', verification: standard('webhook') },
  stripe: {
    title: 'Stripe',
    verification: {
      type: 'hmac',
      header: 'Stripe-Signature',
      prefix: 'v1=',
      separator: ',',
      signed: '{time}.{body}',
      timestampPrefix: 't=',
      idField: 'id',
    },
  },
  svix: { title: 'Svix', verification: standard('svix') },
  telegram: {
    title: 'Telegram bots',
    verification: { type: 'token', header: 'X-Telegram-Bot-Api-Secret-Token', idField: 'update_id' },
  },
  twilio: {
    title: 'Twilio',
    verification: {
      type: 'hmac',
      header: 'X-Twilio-Signature',
      algorithm: 'sha1',
      encoding: 'base64',
      signed: '{url}{form}',
      bodyHashQuery: 'bodySHA256',
      idHeader: 'I-Twilio-Idempotency-Token',
    },
  },
} as const satisfies Record<string, SenderPreset>;

export type SenderPresetName = keyof typeof senderPresets;
export const senderPresetNames = Object.keys(senderPresets) as SenderPresetName[];

/** The signature scheme of Weft itself, which its client SDK uses. */
export const weftVerification: Verification = {
  type: 'hmac',
  header: 'X-Weft-Signature',
  prefix: 'v1=',
  separator: ',',
  signed: '{time}.{body}',
  timestampPrefix: 't=',
};
