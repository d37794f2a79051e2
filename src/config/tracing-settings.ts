import { readInteger, createChoiceParser, readText, readUrl } from '../lib/text/parse-setting.ts';
import { defineSetting } from './setting.ts';

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof samplers)[number];

/** `key=value` pairs separated by commas, percent-encoded as in W3C Baggage. */
function readPairs(text: string): Readonly<Record<string, string>> | null {
  const pairs = new Map<string, string>();
  for (const part of text.split(',')) {
    const [, key, value] = /^\s*([^\s=,]+)\s*=\s*([^,]*?)\s*$/.exec(part) ?? [];
    if (key === undefined || value === undefined) return null;
    try {
      pairs.set(decodeURIComponent(key), decodeURIComponent(value));
    } catch {
      return null;
    }
  }
  return Object.fromEntries(pairs);
}

function readRatio(text: string): number | null {
  const ratio = /^\d(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  return ratio <= 1 ? ratio : null;
}

const pairs = 'key=value pairs separated by commas, percent-encoded';

function pemFile(meaning: string) {
  return defineSetting({
    fallback: null,
    takes: 'the path of a PEM file',
    meaning,
    read: (text) => (text.includes('\0') ? null : text),
  });
}

/** The variables of the OpenTelemetry specification that Weft supports. */
export const tracingSettings = {
  OTEL_SDK_DISABLED: defineSetting({
    fallback: 'false',
    takes: 'true or false',
    meaning: '`true` disables tracing, regardless of other `OTEL_` variables.',
    read: createChoiceParser(['true', 'false']),
  }),
  OTEL_TRACES_EXPORTER: defineSetting({
    fallback: 'otlp',
    takes: 'otlp or none',
    meaning: '`none` exports no spans.',
    read: createChoiceParser(['otlp', 'none']),
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: defineSetting({
    fallback: null,
    takes: 'an http or https URL without a query, such as http://127.0.0.1:4318',
    meaning:
      'The OpenTelemetry collector that receives spans of API requests that start executions, webhooks, executions, attempts of nodes and their outgoing requests, at `/v1/traces` below this URL. Without it and `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, tracing is disabled.',
    read: readUrl,
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: defineSetting({
    fallback: null,
    takes: 'an http or https URL without a query, with its path: http://127.0.0.1:4318/v1/traces',
    meaning: 'The exact URL that spans are sent to; overrides `OTEL_EXPORTER_OTLP_ENDPOINT`.',
    read: readUrl,
  }),
  OTEL_EXPORTER_OTLP_HEADERS: defineSetting({
    fallback: null,
    takes: `${pairs}: api-key=abc`,
    meaning: 'Headers of each request to the collector.',
    read: readPairs,
    isSecret: true,
  }),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: defineSetting({
    fallback: null,
    takes: `${pairs}: api-key=abc`,
    meaning: 'Headers of each request with spans; replaces `OTEL_EXPORTER_OTLP_HEADERS`.',
    read: readPairs,
    isSecret: true,
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: defineSetting({
    fallback: 'http/json',
    takes: 'http/json',
    meaning: 'The protocol of the exporter. Collectors accept it on the port of http/protobuf, 4318.',
    read: createChoiceParser(['http/json']),
  }),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: defineSetting({
    fallback: 'http/json',
    takes: 'http/json',
    meaning: 'The same for spans.',
    read: createChoiceParser(['http/json']),
  }),
  OTEL_EXPORTER_OTLP_TIMEOUT: defineSetting({
    fallback: '10000',
    takes: 'a number of milliseconds from 1 to 60000',
    meaning: 'The timeout of one request to the collector.',
    read: readInteger(1, 60_000),
  }),
  OTEL_EXPORTER_OTLP_COMPRESSION: defineSetting({
    fallback: 'none',
    takes: 'gzip or none',
    meaning: 'Compression of requests to the collector.',
    read: createChoiceParser(['gzip', 'none'] as const),
  }),
  OTEL_EXPORTER_OTLP_CERTIFICATE: pemFile(
    "The file with the certificates of the authorities that sign the collector's, in place of the usual authorities.",
  ),
  OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: pemFile(
    'The same for spans; replaces `OTEL_EXPORTER_OTLP_CERTIFICATE`.',
  ),
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: pemFile(
    'The file with the certificate that the service presents to the collector.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE: pemFile(
    'The same for spans; replaces `OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE`.',
  ),
  OTEL_EXPORTER_OTLP_CLIENT_KEY: pemFile('The file with the key of that certificate.'),
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: pemFile(
    'The same for spans; replaces `OTEL_EXPORTER_OTLP_CLIENT_KEY`.',
  ),
  OTEL_SERVICE_NAME: defineSetting({
    fallback: null,
    takes: '1 to 200 characters',
    meaning: 'The resource attribute `service.name`; `weft` unless `OTEL_RESOURCE_ATTRIBUTES` has one.',
    read: readText(1, 200),
  }),
  OTEL_RESOURCE_ATTRIBUTES: defineSetting({
    fallback: null,
    takes: `${pairs}: deployment.environment.name=production`,
    meaning: 'Resource attributes of all spans.',
    read: readPairs,
  }),
  OTEL_TRACES_SAMPLER: defineSetting({
    fallback: 'parentbased_always_on',
    takes: samplers.join(', '),
    meaning: 'Which traces are recorded.',
    read: createChoiceParser(samplers),
  }),
  OTEL_TRACES_SAMPLER_ARG: defineSetting({
    fallback: '1',
    takes: 'a number from 0 to 1',
    meaning: 'The fraction of traces that a ratio sampler records.',
    read: readRatio,
  }),
} as const;
