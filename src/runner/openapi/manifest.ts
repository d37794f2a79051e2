import type { OpenApiManifest, OpenApiOperation } from '../../contract/packs/packs.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import { truncateText } from '../../lib/text/truncate.ts';
import { limits } from '../../ports/limits.ts';
import { DocumentError, loadDocument } from './document.ts';
import { FormSchemas } from './form-schema.ts';
import { readOperations } from './operations.ts';
import { References } from './references.ts';
import { readSecuritySchemes } from './security.ts';
import { readServers } from './servers.ts';

export const MAX_WARNINGS = 50;
const MAX_WARNING_LENGTH = 500;
const MAX_NAME_LENGTH = 64;
const MAX_TITLE_LENGTH = 200;
const MAX_VERSION_LENGTH = 100;
const MAX_DESCRIPTION_LENGTH = 2_000;

/** Reads a document into a manifest. @throws {DocumentError} */
export function readManifest(text: string, documentUrl: string | null): OpenApiManifest {
  const document = loadDocument(text);
  const warnings = new Set<string>();
  const warn = (message: string): void => {
    if (warnings.size < MAX_WARNINGS) warnings.add(truncateText(message, MAX_WARNING_LENGTH));
  };
  const references = new References(document);
  const components = isObject(document['components']) ? document['components'] : {};
  const info = isObject(document['info']) ? document['info'] : {};
  const securitySchemes = readSecuritySchemes(components['securitySchemes'], references, documentUrl);
  const schemeIds = new Set(securitySchemes.map(({ id }) => id));
  const operations = readOperations({
    document,
    documentUrl,
    references,
    schemas: new FormSchemas(references, warn),
    known: new Map(),
    schemeIds,
  });
  for (const scheme of securitySchemes)
    if (scheme.kind === 'other') warn(`The security scheme ${scheme.id} (${scheme.scheme}) is not supported`);
  const title = truncateText(readText(info['title']) || 'API', MAX_TITLE_LENGTH);
  const documentVersion = truncateText(versionText(info['version']), MAX_VERSION_LENGTH);
  const manifest: OpenApiManifest = {
    kind: 'openapi',
    name: toName(title),
    version: toVersion(documentVersion),
    documentVersion,
    title,
    description: truncateText(readText(info['description']), MAX_DESCRIPTION_LENGTH),
    servers: readServers(document['servers'], documentUrl),
    securitySchemes,
    operations,
    warnings: [...warnings],
  };
  return withinLength(manifest);
}

/** Leaves out the schemas of responses if the manifest is too large. @throws {DocumentError} */
function withinLength(manifest: OpenApiManifest): OpenApiManifest {
  if (Buffer.byteLength(JSON.stringify(manifest)) <= limits.openApiManifestBytes) return manifest;
  const smaller: OpenApiManifest = {
    ...manifest,
    operations: manifest.operations.map((operation): OpenApiOperation => ({
      ...operation,
      response: operation.response === null ? null : { ...operation.response, schema: null },
    })),
    warnings: [...manifest.warnings, 'The responses are not described, because the document is too large'],
  };
  if (Buffer.byteLength(JSON.stringify(smaller)) <= limits.openApiManifestBytes) return smaller;
  throw new DocumentError(
    `has forms of more than ${limits.openApiManifestBytes} bytes; remove operations that you do not need`,
  );
}

function readText(value: Json | undefined): string {
  return typeof value === 'string' ? value.trim() : '';
}

function versionText(value: Json | undefined): string {
  return typeof value === 'number' ? String(value) : readText(value) || '1.0.0';
}

/** `acme_orders_api` for `Acme: Orders API`. */
export function toName(title: string): string {
  const name = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, MAX_NAME_LENGTH)
    .replaceAll(/_+$/g, '');
  return name === '' ? 'api' : name;
}

/** `2.1.0` for `v2.1-beta`; 1.0.0 for a version without digits. */
export function toVersion(text: string): string {
  const numbers = [...text.matchAll(/\d+/g)].slice(0, 3).map(([digits]) => Number(digits.slice(0, 9)));
  if (numbers.length === 0) return '1.0.0';
  return [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0].join('.');
}
