import { formatBucketFolder } from '../../lib/network/bucket-url.ts';
import type { Clock } from '../../ports/clock.ts';
import { BucketError, type SweptFiles } from '../../ports/files.ts';
import { createEgressClient } from '../http/egress-client.ts';
import { createBucketClient, type BucketSettings } from './bucket-client.ts';
import { createBucketFiles } from './bucket-files.ts';
import { createBucketMarker } from './bucket-marker.ts';
import { createUploader } from './bucket-upload.ts';

export type OpenedBucket = {
  readonly files: SweptFiles;
  /** Rejects when the bucket cannot be reached. */
  readonly check: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * Opens the bucket of Weft's own files. Throws an error for the terminal when it cannot be reached or is not
 * suitable. The operator names the service, so the policy and the proxy for requests of workflows do not
 * apply; TLS certificates are verified.
 */
export async function openBucketFiles(deps: {
  settings: BucketSettings;
  /** Identifies the installation. */
  installation: string;
  elsewhere: SweptFiles;
  /** Whether the database refers to files in a bucket. */
  hasFiles: () => Promise<boolean>;
  maxFileSize: number;
  clock: Clock;
  nextName: () => string;
  warn: (message: string) => void;
}): Promise<OpenedBucket> {
  const { settings, clock, elsewhere } = deps;
  const egress = createEgressClient({ clock, allowedHosts: { permits: () => true } });
  const client = createBucketClient({ settings, egress, clock, warn: deps.warn });
  const marker = createBucketMarker(client, deps.installation);
  try {
    await marker.claim(() => deps.hasFiles());
  } catch (error) {
    await client.close();
    if (!(error instanceof BucketError)) throw error;
    const { cause } = error;
    const detail = cause instanceof Error ? cause.message : error.reason;
    throw new Error(`WEFT_FILES_URL, ${formatBucketFolder(settings.folder)}: ${detail}`, { cause: error });
  }
  const uploader = createUploader(client, clock, deps.maxFileSize);
  return {
    files: createBucketFiles({ client, uploader, marker, elsewhere, clock, nextName: deps.nextName }),
    check: () => marker.check(),
    close: () => client.close(),
  };
}
