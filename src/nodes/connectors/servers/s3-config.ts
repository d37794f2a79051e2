import type { Json } from '../../../lib/json/json.ts';
import type { Bucket } from './s3-request.ts';

export type S3Config = Bucket & {
  operation: 'list' | 'get' | 'put' | 'copy' | 'delete' | 'presign';
  key?: string;
  prefix?: string;
  delimiter?: string;
  max_objects?: number;
  start_after?: string;
  filename?: string;
  content?: Json;
  content_type?: string;
  metadata?: Record<string, string>;
  source_key?: string;
  source_bucket?: string;
  method?: 'GET' | 'PUT';
  expires_in?: string;
};
