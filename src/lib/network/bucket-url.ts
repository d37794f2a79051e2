/** A bucket of Amazon S3 or of a compatible service. */
export type BucketAddress = {
  readonly bucket: string;
  readonly region?: string;
  /** The URL of a compatible service. Default: Amazon S3 in the region. */
  readonly endpoint?: string;
  /** Whether the bucket is part of the path instead of the host name. Default: only with an endpoint. */
  readonly path_style?: boolean;
};
/** A folder of a bucket: `prefix` is empty or ends with a slash. */
export type BucketFolder = BucketAddress & { readonly prefix: string };

const MAX_PREFIX_BYTES = 512;

/** Returns what is wrong with the URL of a service, as the end of a sentence; null: nothing. */
export function findEndpointError(endpoint: string): string | null {
  const url = URL.parse(endpoint);
  const isPlain =
    url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return isPlain && (url.protocol === 'https:' || url.protocol === 'http:')
    ? null
    : 'must be an http or https URL without credentials and without a query';
}

export function findBucketError(bucket: string): string | null {
  return /^[a-zA-Z0-9][\w.-]{1,253}[a-zA-Z0-9]$/.test(bucket) && !bucket.includes('..')
    ? null
    : 'must be the name of a bucket: 3 to 255 letters, digits, dots, hyphens and underscores';
}

export function findRegionError(region: string): string | null {
  return /^[a-z0-9-]+$/.test(region) ? null : 'must be the name of a region, such as eu-central-1';
}

/** Reads `s3://bucket/prefix?region=…&endpoint=…&path_style=…`. Null when it is invalid. */
export function readBucketUrl(text: string): BucketFolder | null {
  // Not `URL`: it would decode and normalize the path.
  const [, bucket = '', path = '', query = ''] =
    /^s3:\/\/([^/?#]+)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(text) ?? [];
  const prefix = readPrefix(path);
  const parameters = new URLSearchParams(query);
  const { region, endpoint, path_style: style, ...others } = Object.fromEntries(parameters);
  const isValid =
    prefix !== null &&
    findBucketError(bucket) === null &&
    (region === undefined || findRegionError(region) === null) &&
    (endpoint === undefined || findEndpointError(endpoint) === null) &&
    (style === undefined || style === 'true' || style === 'false') &&
    Object.keys(others).length === 0 &&
    new Set(parameters.keys()).size === parameters.size;
  if (!isValid) return null;
  return {
    bucket,
    prefix,
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(style === undefined ? {} : { path_style: style === 'true' }),
  };
}

/** For messages and logs: without the parameters. */
export function formatBucketFolder({ bucket, prefix }: BucketFolder): string {
  return `s3://${bucket}/${prefix}`;
}

function readPrefix(path: string): string | null {
  const trimmed = path.replace(/^\//, '').replace(/\/$/, '');
  if (trimmed === '') return '';
  const isPlain = trimmed.split('/').every((part) => /^[\w.-]+$/.test(part) && part !== '.' && part !== '..');
  return isPlain && trimmed.length <= MAX_PREFIX_BYTES ? `${trimmed}/` : null;
}
