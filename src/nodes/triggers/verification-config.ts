import { Type } from 'typebox';
import {
  DEFAULT_SIGNED,
  DEFAULT_TOLERANCE,
  SIGNED_PLACEHOLDERS,
} from '../../contract/webhooks/webhook-verification.ts';
import { closed, duration, inputPath, oneOfTexts, tagged } from '../schema.ts';

const HEADER_NAME = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$";

const headerName = (description: string) =>
  Type.String({ minLength: 1, maxLength: 100, pattern: HEADER_NAME, description });
const shortText = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 100, description }));

const delivery = {
  idHeader: Type.Optional(
    headerName(
      'The header that identifies a delivery, so that a repeated delivery does not start another execution. If a time is signed, this header must be signed too.',
    ),
  ),
  idField: Type.Optional(
    inputPath({
      minLength: 1,
      maxLength: 200,
      description: 'The body field that identifies a delivery, such as id.',
    }),
  ),
};

const signature = {
  header: headerName('The header that contains the signature.'),
  encoding: Type.Optional(
    oneOfTexts(['hex', 'base64'], { default: 'hex', description: 'The encoding of the signature.' }),
  ),
  prefix: shortText('The prefix of the signature, such as sha256=. Entries without it are ignored.'),
  separator: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 5,
      description:
        'The separator between several entries of the header, such as a comma. One valid signature is sufficient, so that keys can be rotated.',
    }),
  ),
  signed: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      default: DEFAULT_SIGNED,
      description: `The signed content: text with the placeholders ${SIGNED_PLACEHOLDERS}. {form} is the sorted fields of a form, each name followed by its value; {url} is the full request URL.`,
    }),
  ),
  timestampHeader: Type.Optional(headerName('The header that contains the signed time.')),
  timestampPrefix: shortText(
    'The prefix of the signed time in an entry of the signature header, such as t=. Requires separator.',
  ),
  timestampUnit: Type.Optional(
    oneOfTexts(['seconds', 'milliseconds'], {
      default: 'seconds',
      description: 'The unit of the signed time, counted from 1970.',
    }),
  ),
  tolerance: Type.Optional(
    duration({
      default: DEFAULT_TOLERANCE,
      description: 'Maximum difference between the signed time and now, up to 1d.',
    }),
  ),
  bodyHashQuery: shortText(
    'The query parameter that contains the SHA-256 of the body in hex, for senders that sign the URL instead of the body.',
  ),
};

/** How requests of any sender are verified. */
export const verificationSchema = tagged(
  'type',
  [
    closed(
      {
        type: Type.Literal('token'),
        header: headerName('The header that contains the token.'),
        prefix: shortText('The prefix of the token.'),
        ...delivery,
      },
      { title: 'Shared token in a header' },
    ),
    closed(
      {
        type: Type.Literal('hmac'),
        algorithm: Type.Optional(oneOfTexts(['sha1', 'sha256', 'sha512'], { default: 'sha256' })),
        secretEncoding: Type.Optional(
          oneOfTexts(['text', 'hex', 'base64'], {
            default: 'text',
            description: 'How the key is stored in the secret: as plain text or encoded.',
          }),
        ),
        secretPrefix: shortText('An optional prefix of the secret before the encoded key, such as whsec_.'),
        ...signature,
        ...delivery,
      },
      { title: 'HMAC with a shared key' },
    ),
    closed(
      { type: Type.Literal('ed25519'), ...signature, ...delivery },
      { title: 'Ed25519 with a public key' },
    ),
    closed(
      {
        type: Type.Literal('ecdsa'),
        algorithm: Type.Optional(oneOfTexts(['sha256', 'sha512'], { default: 'sha256' })),
        ...signature,
        ...delivery,
      },
      { title: 'ECDSA with a public key' },
    ),
  ],
  { description: 'How to verify requests of a sender without a preset, with authentication sender.' },
);
