import { stat } from 'node:fs/promises';
import path from 'node:path';
import { loadTrustedNode, loadTrustedNodes, type TrustedNode } from '../app/trusted-nodes.ts';
import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import { builtinNodes } from '../nodes/registry.ts';
import { trustedNode } from '../nodes/trusted-node.ts';
import { createDocumentRunner } from '../runner/documents/document-runner.ts';
import { createSandbox } from '../runner/sandbox/sandbox.ts';
import { runExample } from './node-examples.ts';

/**
 * Loads trusted nodes as a start would, from a folder or one file, and runs their examples. Resolves with the
 * exit code.
 * @throws {Error} fit for the terminal when one cannot be loaded.
 */
export async function checkNodes(
  env: Environment,
  place: string | undefined,
  say: (line: string) => void,
): Promise<number> {
  const nodes = await loadNodesAt(env, place);
  const sandbox = createSandbox({ warn: say });
  const documents = createDocumentRunner();
  const { signal } = new AbortController();
  const services: Parameters<typeof runExample>[2] = {
    code: { run: (call) => sandbox.run({ ...call, ownerId: 'owner', signal, log() {} }) },
    documents: { run: (call) => documents.run(call, 'owner', signal) },
  };
  let failures = 0;
  try {
    for (const { file, node } of nodes) {
      say(`${path.basename(file)}: ${node.type} ${node.version}`);
      if (node.examples.length === 0) say('  it has no examples');
      for (const example of node.examples) {
        const found = await runExample(trustedNode(node), example, services).catch((error: unknown) => ({
          wrong: `threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
        }));
        if (found === 'holds') say(`  ok: ${example.title}`);
        else if (found === 'not run')
          say(`  fits, and is not run, as the node has effects: ${example.title}`);
        else {
          failures++;
          say(`  WRONG: ${example.title}: ${found.wrong}`);
        }
      }
    }
  } finally {
    documents.close();
    sandbox.close();
  }
  return failures === 0 ? 0 : 1;
}

async function loadNodesAt(env: Environment, place: string | undefined): Promise<TrustedNode[]> {
  const at = place === undefined ? loadConfig(env).nodesDir : path.resolve(place);
  if (at === null) throw new Error('Name a folder or a file, or set WEFT_NODES_DIR.');
  const there = await stat(at).catch(() => null);
  if (there?.isFile() === true) return [{ file: at, node: await loadTrustedNode(at) }];
  return loadTrustedNodes(at, builtinNodes);
}
