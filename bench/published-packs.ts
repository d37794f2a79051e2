// Published packages among the development dependencies, as the archives that npm would download.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildArchive } from '../test/support/servers/npm-registry.ts';
import { projectRoot } from './service.ts';

export function readPublished(name: string): Buffer {
  const folder = path.join(projectRoot, 'node_modules', name);
  const about = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    version: string;
    main: string;
  };
  const source = readFileSync(path.join(folder, about.main), 'utf8');
  return buildArchive(name, about.version, { [path.normalize(about.main)]: source }, about);
}
