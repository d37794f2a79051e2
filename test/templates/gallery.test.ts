import { describe, expect, test } from 'vitest';
import { builtinTemplates } from '../../src/app/builtin-templates.ts';
import { useService } from '../support/use-service.ts';
import { listGalleryFiles, type GalleryTemplate } from './template.ts';

const files = listGalleryFiles();
const { api } = useService();

test('the list in src/app/builtin-templates.ts matches the folder', () => {
  expect(files.length).toBeGreaterThanOrEqual(8);
  const named = files.map(({ file, template }) => [file, template] as const);
  expect(
    builtinTemplates.map((one) => [`${(one as GalleryTemplate).templateName}.json`, one]),
    'Change src/app/builtin-templates.ts',
  ).toEqual(named.toSorted(([a], [b]) => (a < b ? -1 : 1)));
});

describe.each(files.map(({ template }) => [template.templateName, template] as const))(
  '%s',
  (name, template) => {
    test('is valid, and visible to all users', async () => {
      // With another name it is registered like any template, with all checks.
      const copy = await api('POST', '/templates', {
        body: { ...template, templateName: `copy of ${name}` },
      });
      expect(copy.status, copy.text).toBe(201);
      const received = await api('GET', `/templates/${name}`);
      expect(received.status).toBe(200);
      const { templateName, builtin, created_at, ...shown } = received.body as Record<string, unknown>;
      const {
        templateName: _name,
        builtin: isBuiltin,
        created_at: _at,
        ...own
      } = copy.body as Record<string, unknown>;
      expect([templateName, builtin, created_at, isBuiltin]).toEqual([name, true, null, false]);
      expect(shown).toEqual(own);
    });

    test('describes its purpose, its requirements and each parameter', () => {
      expect(template.description.length).toBeGreaterThan(60);
      expect(template.workflow.description.length).toBeGreaterThan(20);
      for (const parameter of template.parameters) {
        expect(parameter.description, parameter.name).toMatch(/^[A-Z].{10,}\.$|^[A-Z].{5,}\.$/);
        expect(JSON.stringify(template.workflow), parameter.name).toContain(`parameters.${parameter.name}`);
        if (parameter.type === 'secret')
          expect(template.description).toMatch(/ Setup: store .+ as (?:a secret|secrets)\.$/);
      }
    });

    test('needs only the required parameters, and its only errors are missing secrets', async () => {
      const required = template.parameters.filter((one) => one.required);
      const parameters = Object.fromEntries(
        required.map((one) => [one.name, `https://example.com/${one.name}`]),
      );
      const made = await api('POST', `/templates/${name}/instantiate`, { body: { parameters } });
      expect(made.status, made.text).toBe(201);
      const { issues, status } = made.body as { issues: { issue: string }[]; status: string };
      expect(status).toBe('draft');
      for (const { issue } of issues) expect(issue).toMatch(/^needs the secret [A-Z_]+, which is not set$/);
      expect(JSON.stringify(made.body)).not.toContain('parameters.');
      if (required.length === 0) return;
      const bare = await api('POST', `/templates/${name}/instantiate`);
      expect([bare.status, bare.text.includes(`parameters.${required[0]?.name}`)]).toEqual([400, true]);
    });
  },
);
