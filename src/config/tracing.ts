import { readSetting, requireSetting, type Environment } from './environment.ts';
import type { SamplerName } from './tracing-settings.ts';
import { tracingSettings } from './tracing-settings.ts';

/** Where spans go and what they carry. */
export type TracingConfig = {
  /** Spans are sent there as it is. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: 'gzip' | 'none';
  /** `service.name` included. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: { readonly name: SamplerName; readonly ratio: number };
};

/** Null: no spans are exported. @throws {ConfigError} for a variable with an invalid value. */
export function readTracing(env: Environment): TracingConfig | null {
  const endpoint = readSetting(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const url =
    readSetting(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ??
    (endpoint === null ? null : `${endpoint}/v1/traces`);
  const headers =
    readSetting(env, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS') ??
    readSetting(env, 'OTEL_EXPORTER_OTLP_HEADERS') ??
    {};
  const serviceName = readSetting(env, 'OTEL_SERVICE_NAME');
  requireSetting(env, 'OTEL_EXPORTER_OTLP_PROTOCOL');
  requireSetting(env, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL');
  const tracing: Omit<TracingConfig, 'url'> = {
    headers,
    timeoutMs: requireSetting(env, 'OTEL_EXPORTER_OTLP_TIMEOUT'),
    compression: requireSetting(env, 'OTEL_EXPORTER_OTLP_COMPRESSION'),
    resource: {
      'service.name': 'weft',
      ...readSetting(env, 'OTEL_RESOURCE_ATTRIBUTES'),
      ...(serviceName === null ? {} : { 'service.name': serviceName }),
    },
    sampler: {
      name: requireSetting(env, 'OTEL_TRACES_SAMPLER'),
      ratio: requireSetting(env, 'OTEL_TRACES_SAMPLER_ARG'),
    },
  };
  const isOff =
    requireSetting(env, 'OTEL_SDK_DISABLED') === 'true' ||
    requireSetting(env, 'OTEL_TRACES_EXPORTER') === 'none';
  return isOff || url === null ? null : { url, ...tracing };
}

/** `OTEL_` variables that are set and have no effect. They often belong to a whole platform, so they do not stop the start. */
export function listUnsupportedTracingVariables(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('OTEL_') && !Object.hasOwn(tracingSettings, name))
    .sort();
}
