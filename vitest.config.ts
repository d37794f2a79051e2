import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { testProjects } from './test/projects.ts';

export default defineConfig({
  // Node's own conditions: with a bundler's, our code and its libraries would load separate copies of
  // graphql.
  ssr: { resolve: { conditions: ['node', 'module-sync'], externalConditions: ['node', 'module-sync'] } },
  test: {
    projects: testProjects,
    reporters: ['default', './test/support/last-line-reporter.ts'],
    globalSetup: ['test/support/services-needed.ts', 'test/support/compile-cache.ts'],
    pool: 'forks',
    // Many tests wait for a process, a browser or a clock: two more workers than cores keep the cores busy.
    maxWorkers: availableParallelism() + 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Patience costs nothing where what is waited for comes; on a busy machine it comes late.
    expect: { poll: { timeout: 20_000 } },
  },
});
