import type { Json } from '../json/json.ts';

/**
 * The trace context of a request: W3C Trace Context (`traceparent`, `tracestate`) and W3C Baggage. Stored
 * with an execution's trigger, and propagated to the services that its nodes call.
 */
export type TraceContext = {
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly baggage?: string;
};

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The length that must be propagated at least, used as the maximum: characters of a tracestate, bytes of a
 * baggage.
 */
const MAX_TRACESTATE_LENGTH = 512;
const MAX_BAGGAGE_LENGTH = 8_192;

/**
 * Version 00, or a later one that begins in the same way (Trace Context §4.3); an id of zeros and the version
 * ff are invalid.
 */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-[\x21-\x7e]*)?$/;
const VISIBLE_ASCII = /^[\x20-\x7e]+$/;

/**
 * Reads the trace context of a request. An invalid or too long field is omitted, as the specifications
 * require.
 */
export function readTraceContext(headers: Headers): TraceContext | null {
  const traceparent = toSingleHeader(headers['traceparent']);
  const isTraced = traceparent !== undefined && traceparent.length <= 128 && TRACEPARENT.test(traceparent);
  const tracestate = isTraced ? list(headers['tracestate'], MAX_TRACESTATE_LENGTH) : undefined;
  const baggage = list(headers['baggage'], MAX_BAGGAGE_LENGTH);
  if (!isTraced && baggage === undefined) return null;
  return {
    ...(isTraced ? { traceparent } : {}),
    ...(tracestate === undefined ? {} : { tracestate }),
    ...(baggage === undefined ? {} : { baggage }),
  };
}

/** The trace context in an execution's trigger; null when there is none. */
export function readStoredTraceContext(
  trigger: Readonly<Record<string, Json | undefined>>,
): TraceContext | null {
  const found: { -readonly [name in keyof TraceContext]: string } = {};
  for (const name of ['traceparent', 'tracestate', 'baggage'] as const) {
    const value = trigger[name];
    if (typeof value === 'string') found[name] = value;
  }
  return Object.keys(found).length === 0 ? null : found;
}

function toSingleHeader(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value.trim() : undefined;
}

/** A repeated header counts as one list. */
function list(value: string | readonly string[] | undefined, maxLength: number): string | undefined {
  const text = typeof value === 'string' ? value : value?.join(',');
  const trimmed = text?.trim() ?? '';
  return trimmed.length <= maxLength && VISIBLE_ASCII.test(trimmed) ? trimmed : undefined;
}
