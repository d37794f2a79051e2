import { readFileSync } from 'node:fs';
import { ConfigError, readSetting, requireSetting, type Environment } from './environment.ts';
import type { SamplerName } from './tracing-settings.ts';
import { tracingSettings } from './tracing-settings.ts';

/** The exporter of spans. */
export type TracingConfig = {
  /** Spans are sent to exactly this URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The contents of PEM files; empty: the system's authorities and no client certificate. */
  readonly tls: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
  readonly compression: 'gzip' | 'none';
  /** Resource attributes, including `service.name`. */
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
    tls: {
      ...readPem(env, 'ca', 'CERTIFICATE'),
      ...readPem(env, 'cert', 'CLIENT_CERTIFICATE'),
      ...readPem(env, 'key', 'CLIENT_KEY'),
    },
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

/**
 * `OTEL_` variables that are set and have no effect. They often belong to a whole platform, so they do not
 * stop the start.
 */
export function listUnsupportedTracingVariables(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('OTEL_') && !Object.hasOwn(tracingSettings, name))
    .sort();
}

type PemFile = 'CERTIFICATE' | 'CLIENT_CERTIFICATE' | 'CLIENT_KEY';

/** Reads the file that the variable for spans names, or else the general one. */
function readPem<Part extends string>(
  env: Environment,
  part: Part,
  file: PemFile,
): { readonly [P in Part]?: Buffer } {
  const names = [`OTEL_EXPORTER_OTLP_TRACES_${file}`, `OTEL_EXPORTER_OTLP_${file}`] as const;
  for (const name of names) {
    const path = readSetting(env, name);
    if (path === null) continue;
    try {
      return { [part]: readFileSync(path) } as { [P in Part]?: Buffer };
    } catch {
      throw new ConfigError(`${name} names the file ${path}, which cannot be read.`);
    }
  }
  return {};
}
