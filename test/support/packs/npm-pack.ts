import { readFileSync } from 'node:fs';
import { buildArchive } from '../servers/npm-registry.ts';

export type PackFixture = 'demo' | 'hostile';

export function readPackSource(fixture: PackFixture): string {
  return readFileSync(new URL(`../../fixtures/packs/${fixture}.cjs`, import.meta.url), 'utf8');
}

/** The archive of a fixture, as npm packs it. */
export function packFixture(
  fixture: PackFixture,
  version = '1.0.0',
  { source = readPackSource(fixture), manifest = {} }: { source?: string; manifest?: object } = {},
): Buffer {
  const about = { main: './src/index.js', license: 'MIT', dependencies: {}, ...manifest };
  return buildArchive(`@weft/piece-${fixture}`, version, { 'src/index.js': source }, about);
}
