import { createHash } from 'node:crypto';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { OpenSpan, TracedExecution, Tracer } from '../../ports/tracer.ts';

/** Maximum number of spans waiting for export; more are dropped. */
const MAX_QUEUED_SPANS = 10_000;
/** Interval between two exports, ms. */
const EXPORT_DELAY_MS = 1_000;
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

type Compression = NonNullable<
  NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>['compression']
>;

export type TracingOptions = {
  /** The URL to which spans are exported. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** In PEM: the CA of the collector's certificate, and the client certificate and key. */
  readonly tls: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
  readonly compression: 'gzip' | 'none';
  readonly resource: Readonly<Record<string, string>>;
  /** A sampler name of the OpenTelemetry specification, and its ratio if it takes one. */
  readonly sampler: { readonly name: string; readonly ratio: number };
  readonly version: string;
  readonly role: string;
};

export type Tracing = Tracer & {
  /** Exports the remaining spans; resolves when they are sent or the export failed. */
  close(): Promise<void>;
};

/**
 * Exports spans over OTLP. The span id of an execution is derived from its id, as is the trace id without a
 * caller's trace: all processes compute the same ids, and none has to be stored.
 */
export function createTracing(options: TracingOptions): Tracing {
  const sampler = createSampler(options.sampler);
  const chance = new RandomIdGenerator();
  let forced: { traceId: string; spanId: string } | null = null;
  const provider = new TracerProvider({
    sampler,
    resource: resourceFromAttributes({
      ...options.resource,
      'service.version': options.version,
      'weft.role': options.role,
    }),
    idGenerator: {
      generateTraceId: () => forced?.traceId ?? chance.generateTraceId(),
      generateSpanId: () => forced?.spanId ?? chance.generateSpanId(),
    },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({
          url: options.url,
          headers: { ...options.headers },
          timeoutMillis: options.timeoutMs,
          // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the enum is not exported
          compression: options.compression as Compression,
          // Certificates are verified whatever the environment says.
          httpAgentOptions: { keepAlive: true, rejectUnauthorized: true, ...options.tls },
        }),
        maxQueueSize: MAX_QUEUED_SPANS,
        scheduledDelayMillis: EXPORT_DELAY_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('weft', options.version);

  function createParentContext(parent: string): Context {
    const [, traceId = '', spanId = '', flags = '00'] = TRACEPARENT.exec(parent) ?? [];
    const traceFlags = parseInt(flags, 16) & TraceFlags.SAMPLED;
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  }
  function open(span: Span): OpenSpan {
    const { traceId, spanId, traceFlags } = span.spanContext();
    let isOver = false;
    return {
      traceparent: `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01'}`,
      end(error, attributes = {}) {
        if (isOver) return;
        isOver = true;
        span.setAttributes(attributes);
        if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
        span.end();
      },
    };
  }
  const hash = (text: string, characters: number): string =>
    createHash('sha256').update(text).digest('hex').slice(0, characters);
  const ownIds = (executionId: string) => ({
    traceId: hash(`trace ${executionId}`, 32),
    spanId: hash(`span ${executionId}`, 16),
  });
  /** Whether the root span of a trace is sampled: all processes decide the same for an execution. */
  const isSampled = (traceId: string): boolean =>
    sampler.shouldSample(ROOT_CONTEXT, traceId, 'execution', SpanKind.INTERNAL, {}, []).decision ===
    SamplingDecision.RECORD_AND_SAMPLED;
  /** Returns the span of the execution as a parent. */
  function formatParent({ executionId, traceparent }: TracedExecution): string {
    const { traceId, spanId } = ownIds(executionId);
    const given = traceparent === null ? null : TRACEPARENT.exec(traceparent);
    return given === null
      ? `00-${traceId}-${spanId}-${isSampled(traceId) ? '01' : '00'}`
      : `00-${given[1]}-${spanId}-${given[3]}`;
  }

  return {
    entered(name, parent) {
      const context =
        parent !== undefined && TRACEPARENT.test(parent) ? createParentContext(parent) : ROOT_CONTEXT;
      return open(tracer.startSpan(name, { kind: SpanKind.SERVER }, context));
    },
    attempt(attempt) {
      const attributes = {
        'weft.execution_id': attempt.executionId,
        'weft.workflow_id': attempt.workflowId,
        'weft.node_id': attempt.nodeId,
        'weft.path': attempt.path,
        'weft.attempt': attempt.attempt,
      };
      return open(tracer.startSpan(attempt.type, { attributes }, createParentContext(formatParent(attempt))));
    },
    request(parent, method, url) {
      const attributes = { 'http.request.method': method, 'url.full': url };
      return open(
        tracer.startSpan(method, { kind: SpanKind.CLIENT, attributes }, createParentContext(parent)),
      );
    },
    executionEnded({ executionId, traceparent, status, start, end }) {
      const context = traceparent === null ? ROOT_CONTEXT : createParentContext(traceparent);
      forced = ownIds(executionId);
      try {
        const attributes = { 'weft.execution_id': executionId, 'weft.status': status };
        const span = tracer.startSpan(
          'execution',
          { attributes, startTime: start, root: traceparent === null },
          context,
        );
        if (status === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
        span.end(Math.max(start, end));
      } finally {
        forced = null;
      }
    },
    async close() {
      await provider.shutdown().catch(() => {});
    },
  };
}

function createSampler({ name, ratio }: TracingOptions['sampler']): Sampler {
  const isParentBased = name.startsWith('parentbased_');
  const kind = isParentBased ? name.slice('parentbased_'.length) : name;
  const root =
    kind === 'always_off'
      ? new AlwaysOffSampler()
      : kind === 'traceidratio'
        ? new TraceIdRatioBasedSampler(ratio)
        : new AlwaysOnSampler();
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}
