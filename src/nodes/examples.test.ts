import { afterAll, describe, expect, it } from 'vitest';
import { runExample } from '../cli/node-examples.ts';
import { createDocumentRunner } from '../runner/documents/document-runner.ts';
import { createSandbox } from '../runner/sandbox/sandbox.ts';
import { builtinNodes } from './registry.ts';

const sandbox = createSandbox({ warn() {} });
const documents = createDocumentRunner();
afterAll(() => {
  documents.close();
  sandbox.close();
});

/** Enough for a busy machine: the default of 5 s includes waiting for a free core. */
const CODE_TIMEOUT_MS = 100_000;
const { signal } = new AbortController();
const services: Parameters<typeof runExample>[2] = {
  code: {
    run: (call) => sandbox.run({ ...call, timeout: CODE_TIMEOUT_MS, ownerId: 'owner', signal, log() {} }),
  },
  documents: { run: (call) => documents.run(call, 'owner', signal) },
};

for (const type of builtinNodes) {
  describe(`${type.type} ${type.version}`, () => {
    it('has examples, ports and texts', () => {
      expect(type.examples.length).toBeGreaterThan(0);
      expect(type.version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(type.description).toMatch(/\.$/);
      expect(type.icon).toMatch(/^[a-z][a-z0-9-]*$/);
      expect(type.inputs.length > 0).toBe(!type.isTrigger);
    });
    for (const example of type.examples) {
      it(example.title, async () => {
        const found = await runExample(type, example, services);
        const isRun = type.effects === 'none' && !type.isTrigger && type.control === undefined;
        expect(found).toBe(isRun ? 'holds' : 'not run');
      });
    }
  });
}
