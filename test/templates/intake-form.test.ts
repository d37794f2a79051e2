import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { submitForm } from '../support/forms/submit-form.ts';
import { needPostgres, startServer, type TestServer } from '../support/servers/postgres-server.ts';
import { waitUntil } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { install } from './template.ts';

const service = useService();

describe.skipIf(needPostgres() === null)('intake-form', () => {
  let database: TestServer;
  let url: string;
  beforeAll(async () => {
    database = await startServer(needPostgres()!);
    url = await database.database();
    await database.sql(
      url,
      'CREATE TABLE requests (id text PRIMARY KEY, name text, email text, topic text, message text, attachment jsonb, identity jsonb, submitted_at timestamptz)',
    );
    await install(service.api, 'intake-form', {}, { DATABASE: url });
  });
  afterAll(() => database.close());

  const person = { name: 'Ada', email: 'ada@example.com', topic: 'Order', message: 'Two\r\nlines' };
  const photo = (): File => new File(['png'], 'photo.png', { type: 'image/png' });
  const passport = (): File => new File(['%PDF'], 'passport.pdf', { type: 'application/pdf' });
  const readRows = (count: number): Promise<unknown[]> =>
    waitUntil(
      () =>
        database.sql(
          url,
          "SELECT id, name, email, topic, message, attachment->'$file'->>'id' AS file, attachment->'$file'->>'name' AS photo, identity->'$file'->>'name' AS passport FROM requests ORDER BY submitted_at",
        ),
      (rows) => rows.length === count,
    );

  test('a submission with two files becomes a row, and one without the optional file, too', async () => {
    const address = `${service.weft.url}/forms/intake`;
    const first = await submitForm(address, person, { action: 'next' });
    expect(first.html).toContain('Step 2 of 2');
    const files = { attachment: photo(), consent: 'yes' };
    const refused = await submitForm(address, { attachment: passport() }, { html: first.html });
    expect([refused.status, refused.html.includes('I agree')]).toEqual([400, true]);
    const both = await submitForm(address, { ...files, identity: passport() }, { html: first.html });
    expect(both.html).toContain('We have received your request.');
    const [row] = (await readRows(1)) as { file: string }[];
    expect(row).toEqual({
      ...person,
      message: 'Two\nlines',
      id: expect.any(String),
      file: expect.any(String),
      photo: 'photo.png',
      passport: 'passport.pdf',
    });
    expect((await service.api('GET', `/files/${row!.file}`)).text).toBe('png');
    const second = await submitForm(address, { ...person, name: 'Bob' }, { action: 'next' });
    expect((await submitForm(address, files, { html: second.html })).status).toBe(200);
    expect((await readRows(2))[1]).toMatchObject({ name: 'Bob', photo: 'photo.png', passport: null });
  });
});
