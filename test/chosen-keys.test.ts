import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/*
 * `object[key] = value` on an object that began as `{}` drops the key `__proto__`. Keys that users or other
 * services choose belong in a Map or an object without prototype, and become an object by Object.fromEntries.
 */

/** The assignments whose keys cannot be `__proto__`, by the reason. */
const safe: Readonly<Record<string, readonly string[]>> = {
  'names in the source': [
    'src/api/connection-callback/plugin.ts parameters[name]',
    'src/api/docs/openapi.ts paths[path]',
    'src/api/docs/openapi.ts paths[route.path]',
    'src/api/graphql/schema/input-types.ts args[toCamelCase(key)]',
    'src/api/graphql/schema/input-types.ts fields[toCamelCase(key)]',
    'src/api/graphql/schema/input-types.ts result[known.key]',
    'src/api/graphql/schema/object-types.ts shown[name]',
    'src/api/http/request-handler.ts query[name]',
    'src/engine/state/saved-state.ts fields[field]',
    'src/lib/network/database-tls.ts files[part]',
    'src/lib/network/trace-context.ts found[name]',
    'src/nodes/connectors/credentials.ts found[name]',
    'src/runner/openapi/parameters.ts notes[key]',
    'src/runner/openapi/schema-keywords.ts made[keyword]',
    'src/runner/sandbox/guest-runtime.ts console[name]',
    'src/services/accounts/users.service.ts changes[name]',
    'src/services/workflows/lifecycle.ts settings[name]',
    'web/src/canvas/tools/tool-draft.ts kept[key]',
  ],
  'names that a schema or a check restricts': [
    'src/api/decisions/pages.ts values[name]',
    'src/api/webhooks/response.ts headers[lower]',
    'src/cli/commands/connections/connection-fields.ts values[name]',
    'src/nodes/data/csv/csv-reader.ts row[names[i] as string]',
    'src/nodes/files/spreadsheet.node.ts row[names[i]!]',
    'src/nodes/flow/respond.node.ts headers[name]',
    'src/nodes/flow/switch.node.ts outputs[name]',
    'src/runner/packages/bundle-process.ts sizes[path]',
    'src/services/forms/validate-form.ts values[field.name]',
    'src/services/workflows/template-parameters.ts values[name]',
    'web/src/pages/templates/use-dialog.tsx errors[parameter.name]',
    'web/src/pages/templates/use-dialog.tsx parameters[name]',
    'web/src/pages/templates/use-dialog.tsx parameters[parameter.name]',
  ],
  'the line before refuses or omits it': [
    'src/api/graphql/schema/scalars.ts object[name]',
    'src/engine/state/frame.ts outputs[port]',
    'src/expressions/compile-config.ts copy[key]',
    'src/expressions/compiler/compile.ts object[key]',
    'src/expressions/functions/object.ts picked[key]',
    'src/expressions/functions/object.ts rest[key]',
    'src/nodes/data/objects/field-edit.ts result[key]',
    'src/nodes/data/objects/rename-fields.ts result[name]',
    'src/runner/http/request-body.ts headers[key]',
    'src/runner/http/send-request.ts result[name]',
    'src/services/pack-webhooks/pack-payload.ts kept[name]',
    'src/services/webhooks/webhooks.service.ts passed[name]',
  ],
};

const root = path.resolve(import.meta.dirname, '..');
const EMPTY_OBJECT = /\b(?:const|let) (\w+)(?:: [^=;]+?)? = \{\}(?: as [^;]+)?;/g;

/** `name[key]` of each assignment to a computed key of an object that began as `{}`. */
function listAssignments(text: string): string[] {
  const names = new Set([...text.matchAll(EMPTY_OBJECT)].map((found) => found[1]!));
  return [...names].flatMap((name) => {
    const assignment = new RegExp(
      `(?<![\\w.])${name}\\[([^'"\`\\d][^=;\\n]*)\\]!? (?:\\?\\?|\\|\\|)?= `,
      'g',
    );
    return [...text.matchAll(assignment)].map((found) => `${name}[${found[1]}]`);
  });
}

test('the search finds assignments to computed keys', () => {
  const text = `const a: Record<string, number> = {};\na[key] = 1;\na['fixed'] = 2;\nb[key] = 3;\na[of[0]!] ??= 4;`;
  expect(listAssignments(text)).toEqual(['a[key]', 'a[of[0]!]']);
});

test('keys that users choose are never assigned to an object with a prototype', () => {
  const files = execFileSync('git', ['ls-files', 'src', 'web/src', 'sdk/src'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\/(?:conformance|generated)\//.test(file));
  expect(files.length).toBeGreaterThan(1_000);
  const found = new Set(
    files.flatMap((file) =>
      listAssignments(readFileSync(path.join(root, file), 'utf8')).map((one) => `${file} ${one}`),
    ),
  );
  const known = Object.values(safe).flat();
  expect([...found].filter((one) => !known.includes(one))).toEqual([]);
  expect(known.filter((one) => !found.has(one))).toEqual([]);
});
