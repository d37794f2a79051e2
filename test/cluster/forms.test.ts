import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFormWorkflow, submitForm } from '../support/forms/submit-form.ts';
import { waitUntil, type Call, type SpawnedService } from '../support/service.ts';
import { canScale, startCluster, type Cluster } from './cluster.ts';

const SUBMISSIONS = 10;

describe.skipIf(!canScale)('forms on several processes', () => {
  let cluster: Cluster;
  let apis: SpawnedService[];
  let call: Call;
  beforeAll(async () => {
    cluster = await startCluster();
    const first = await cluster.start('api');
    const [second] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
    apis = [first, second];
    call = await first.login();
  });
  afterAll(() => cluster.close());

  test('a form is served by every process at once, and the same submission at all of them starts one execution', async () => {
    const workflow = await createFormWorkflow(call, {
      endpoint: 'everywhere',
      title: 'Everywhere',
      fields: [
        { type: 'text', name: 'who', label: 'Who' },
        { type: 'file', name: 'scan', label: 'Scan' },
      ],
    });
    const [first, second] = apis.map(({ url }) => `${url}/forms/everywhere`) as [string, string];
    const page = await fetch(second);
    expect(page.status).toBe(200);
    const html = await page.text();
    const scan = new File(['scan'], 'scan.txt');
    const sent = await Promise.all(
      Array.from({ length: SUBMISSIONS }, (_, i) =>
        submitForm(i % 2 === 0 ? first : second, { who: 'Ada', scan }, { html }),
      ),
    );
    expect(sent.map(({ status }) => status)).toEqual(Array.from({ length: SUBMISSIONS }, () => 200));
    const { body } = await waitUntil(
      () => call('GET', `/executions?workflow_id=${workflow}`),
      ({ text }) => text.includes('"completed"'),
    );
    const { executions } = body as { executions: { id: string }[] };
    expect(executions).toHaveLength(1);
    const detail = (await call('GET', `/executions/${executions[0]!.id}`)).body as {
      input: { fields: { scan: { $file: { id: string } } } };
    };
    expect((await call('GET', `/files/${detail.input.fields.scan.$file.id}`)).text).toBe('scan');
  });
});
