import type { Config } from '../config/config.ts';
import type { Engine } from '../engine/engine-api.ts';
import type { Clock } from '../ports/clock.ts';
import type { NodeTypes } from '../ports/node-types.ts';
import type { NodeRunner } from '../ports/runner.ts';
import type { ExecutionStore } from '../ports/store/executions.ts';
import { withExecutionMetrics, withRunnerMetrics } from '../services/observability/with-metrics.ts';
import { withThroughputCounter, createThroughput } from '../services/observability/throughput.ts';
import type { Executions } from '../services/executions/executions.service.ts';
import { createTraced, type TracedStart } from '../services/observability/with-tracing.ts';
import type { Coordination } from './coordination/coordination-types.ts';
import type { Storage } from './storage/storage.ts';

/**
 * Throughput, metrics and traces. They wrap the ports, so that the engine does not depend on them. Libraries
 * of disabled parts are not loaded.
 */
export async function createObservability(options: {
  readonly config: Pick<Config, 'metrics' | 'tracing' | 'version' | 'role'>;
  readonly clock: Clock;
  readonly nodeTypes: Pick<NodeTypes, 'all'>;
  readonly executions: ExecutionStore;
  readonly load: Storage['load'];
  readonly coordination: Coordination;
  engine(): Pick<Engine, 'health'>;
  report(message: string, error: unknown): void;
}) {
  const { config, clock, coordination } = options;
  const { queue } = coordination;
  const metrics =
    config.metrics === null
      ? null
      : (await import('../services/observability/metrics.ts')).createMetrics({
          version: config.version,
          nodeTypes: options.nodeTypes.all().map((node) => node.type),
          clock,
          engine: () => options.engine().health(),
          others: queue === null ? null : { isUp: () => coordination.isUp(), depth: () => queue.depth() },
          connections: options.load ?? null,
          executions: options.executions,
          report: (message, error) => options.report(message, error),
        });
  const tracing =
    config.tracing === null
      ? null
      : (await import('../services/observability/tracing.ts')).createTracing({
          ...config.tracing,
          version: config.version,
          role: config.role,
        });
  const traced = tracing === null ? null : createTraced(tracing);
  const throughput = createThroughput(clock);

  const counted = withThroughputCounter(options.executions, throughput);
  const measured = metrics === null ? counted : withExecutionMetrics(counted, metrics);
  const receive: TracedStart['receive'] = (inner) => (traced === null ? inner : traced.receive(inner));
  return {
    throughput,
    metrics,
    /** The store's executions, instrumented. */
    executions: traced === null ? measured : traced.executions(measured),
    runner(inner: NodeRunner): NodeRunner {
      const metered = metrics === null ? inner : withRunnerMetrics(inner, metrics);
      return traced === null ? metered : traced.runner(metered);
    },
    receive,
    /** Adds a span for each request that starts an execution. */
    starts: (inner: Executions): Executions => (traced === null ? inner : traced.starts(inner)),
    close: async (): Promise<void> => tracing?.close(),
  };
}
