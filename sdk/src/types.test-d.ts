/*
 * What the compiler has to accept and to refuse; `tsc -p .` is the test. A line under @ts-expect-error that
 * compiles is an error.
 */
import { ValidationError, createClient, type Execution, type Workflow } from './index.ts';

export async function types(): Promise<void> {
  const client = createClient({ baseUrl: 'http://127.0.0.1', apiKey: 'k' });
  // @ts-expect-error a client needs an address
  createClient({ apiKey: 'k' });

  const { workflows, pagination } = await client.workflows.list({ status: 'active', limit: 5 });
  const total: number = pagination.total;
  const status: 'active' | 'inactive' | 'draft' = workflows[0]!.status;
  // @ts-expect-error there is no such status
  await client.workflows.list({ status: 'on' });
  // @ts-expect-error there is no such parameter
  await client.workflows.list({ stauts: 'active' });
  // @ts-expect-error a list has no definitions
  void workflows[0]!.definition;

  const workflow: Workflow = await client.workflows.create({
    name: 'x',
    definition: { nodes: [{ id: 'a', type: 'trigger' }], connections: [{ from: 'a', to: 'a' }] },
  });
  // @ts-expect-error a name is needed
  await client.workflows.create({});
  // @ts-expect-error a node needs a type
  await client.workflows.create({ name: 'x', definition: { nodes: [{ id: 'a' }] } });
  // Get, edit, put.
  await client.workflows.update(workflow.id, { ...workflow, status: 'active' });

  const execution: Execution = await client.workflows.execute(
    workflow.id,
    { wait: '5s' },
    { idempotencyKey: 'k' },
  );
  // @ts-expect-error output is of any shape, so it has to be looked at
  void execution.output.text;
  // @ts-expect-error only execute takes a key
  await client.workflows.get(workflow.id, { idempotencyKey: 'k' });

  for await (const one of client.executions.listAll({ status: 'failed' })) {
    const why: string | undefined = one.error?.message;
    void why;
  }
  for await (const update of client.live.executions({ workflowId: workflow.id })) {
    if (update.status === 'completed') break;
    // @ts-expect-error there is no such status
    if (update.status === 'done') break;
  }
  const data = await client.graphql<{ workflows: { id: string }[] }>('{ workflows { id } }');
  const ids: string[] = data.workflows.map((one) => one.id);

  try {
    await client.executions.run(workflow.id);
  } catch (error) {
    if (error instanceof ValidationError) {
      const field: string = error.field;
      void field;
    }
  }
  void [total, status, ids];
}
