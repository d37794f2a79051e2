import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** A self-signed certificate for weft.test and other.test, and its key. For tests only. */
export const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBojCCAUegAwIBAgIUUCiqtpuE+M8f0sLlOf2hKA7QufIwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJd2VmdC50ZXN0MCAXDTI2MTEyMTA1NTUyM1oYDzIxMjYxMDI4
MDU1NTIzWjAUMRIwEAYDVQQDDAl3ZWZ0LnRlc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASDHAmYEfya8Ff5K+4zgqL8bZsijMoRrSINTTFq5DTMDfevEZWVUSKF
oIiNCItvdGMrbSteyJ+ISCaeUaiWzGsio3UwczAdBgNVHQ4EFgQU7hMrw1PF6Zw9
xvkiZGVWd7SkXjYwHwYDVR0jBBgwFoAU7hMrw1PF6Zw9xvkiZGVWd7SkXjYwDwYD
VR0TAQH/BAUwAwEB/zAgBgNVHREEGTAXggl3ZWZ0LnRlc3SCCm90aGVyLnRlc3Qw
CgYIKoZIzj0EAwIDSQAwRgIhAInezji96tRU30PKKmSq38OP7zphYO7KazlbqZYg
x+c3AiEA7FglSKeEHX4OTGcApNxr5M5V16PXM6NKhKG2DV7015c=
-----END CERTIFICATE-----
`;
export const testKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgRYhICiXUVO6fLI1A
Hc8W/bv93EfxPrgHcp9Av2kyhcChRANCAASDHAmYEfya8Ff5K+4zgqL8bZsijMoR
rSINTTFq5DTMDfevEZWVUSKFoIiNCItvdGMrbSteyJ+ISCaeUaiWzGsi
-----END PRIVATE KEY-----
`;

/** Writes the certificate for 127.0.0.1 to a file in `folder`, for NODE_EXTRA_CA_CERTS. */
export function writeLoopbackCertificate(folder: string): string {
  const file = path.join(folder, 'loopback.crt');
  writeFileSync(file, loopbackCertificate);
  return file;
}

/** The same for 127.0.0.1 and localhost. */
export const loopbackCertificate = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUZQVAUvT1WF5FulwxWQgSKi2d00EwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyNDA4NDg1M1oYDzIxMjYxMDMx
MDg0ODUzWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQub5NnltBkAwE8KAoZCbWJ7Kgrvlw9PuIGjAvaStmdYMW4rc5AQREG
rfreS3dIgxAdi8IkuWQ0mprSEcD+h7G3o28wbTAdBgNVHQ4EFgQUOc1KllVf2AvL
bmNcmENv7eJaVOIwHwYDVR0jBBgwFoAUOc1KllVf2AvLbmNcmENv7eJaVOIwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSQAwRgIhAIpZumuXrGnhsDKjSP7q7zuMSQj6RwqgED4q/58lmgczAiEA
ukK0sjp3GpFB6lTsWArzA7G34lfh1AvDYai6D54j+FY=
-----END CERTIFICATE-----
`;
export const loopbackKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtoABFdOiRpoV6dot
gbXAc7tC7hklBLGi0JWj8+fKec2hRANCAAQub5NnltBkAwE8KAoZCbWJ7Kgrvlw9
PuIGjAvaStmdYMW4rc5AQREGrfreS3dIgxAdi8IkuWQ0mprSEcD+h7G3
-----END PRIVATE KEY-----
`;

/** A certificate for 127.0.0.1 that expired in 2020. */
export const expiredCertificate = `-----BEGIN CERTIFICATE-----
MIIBZTCCAQugAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAkxMjcuMC4w
LjEwHhcNMjAwMTAxMDAwMDAwWhcNMjAwMjAxMDAwMDAwWjAUMRIwEAYDVQQDDAkx
MjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS8MlglL3wl0KcNHyEB
8GEPIzNoylGWdBA7pNLxqYfMIEW4TfSfA7Vt9iQQr4wSbTdnhmPqWXaJhWV3IsAc
EFHto04wTDAdBgNVHQ4EFgQUsUtmbtCe4aJYS+alhUCVg0AAHFowDwYDVR0TAQH/
BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIhANkDbVOXwz+18chHgbY/+YY2JeCmkvhW2YcRlUHxrQfsAiBkwlTk9q4G
JwW52aZ3ztXrU1DLrzlHDunZxiz2+WtGtg==
-----END CERTIFICATE-----
`;
export const expiredKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3KGo+qVdi7TADnp6
cjYWylu4GK7kMGiBYKgAznDish2hRANCAAS8MlglL3wl0KcNHyEB8GEPIzNoylGW
dBA7pNLxqYfMIEW4TfSfA7Vt9iQQr4wSbTdnhmPqWXaJhWV3IsAcEFHt
-----END PRIVATE KEY-----
`;
