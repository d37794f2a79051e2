/** The layers that each layer may import besides itself; `*`: all. The same table is in ARCHITECTURE.md. */
export const allowedImports: Record<string, readonly string[]> = {
  lib: [],
  contract: ['lib'],
  ports: ['contract', 'lib'],
  expressions: ['contract', 'lib'],
  engine: ['expressions', 'ports', 'contract', 'lib'],
  nodes: ['expressions', 'contract', 'lib'],
  store: ['ports', 'contract', 'lib'],
  coordination: ['ports', 'contract', 'lib'],
  runner: ['expressions', 'ports', 'nodes', 'contract', 'lib'],
  auth: ['ports', 'contract', 'lib'],
  services: ['engine', 'nodes', 'expressions', 'auth', 'ports', 'contract', 'lib'],
  api: ['services', 'auth', 'ports', 'contract', 'lib'],
  config: ['auth', 'contract', 'lib', '../package.json'],
  app: ['*'],
  cli: ['*'],
};
