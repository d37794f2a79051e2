import { createECDH, hkdfSync } from 'node:crypto';

/** The order of P-256. */
const CURVE_ORDER = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');
/**
 * Number of bytes that are reduced to the private key: enough more than the key has to make the bias
 * negligible.
 */
const SEED_BYTES = 48;

/**
 * A private key for ES256 as a JWK. The same seed yields the same key in every process and after every
 * restart.
 */
export type SigningKey = {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly alg: 'ES256';
  readonly use: 'sig';
  readonly x: string;
  readonly y: string;
  readonly d: string;
};

export function deriveSigningKey(seed: Uint8Array): SigningKey {
  const wide = Buffer.from(hkdfSync('sha256', seed, new Uint8Array(), 'weft:es256:v1', SEED_BYTES));
  const scalar = (BigInt(`0x${wide.toString('hex')}`) % (CURVE_ORDER - 1n)) + 1n;
  const d = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(d);
  // Uncompressed: 04, x, y.
  const point = curve.getPublicKey();
  return {
    kty: 'EC',
    crv: 'P-256',
    alg: 'ES256',
    use: 'sig',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
    d: d.toString('base64url'),
  };
}
