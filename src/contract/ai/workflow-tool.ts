import { isObject, type JsonObject } from '../../lib/json/json.ts';

/** Tools with this prefix belong to Weft, such as `weft_create_workflow`. */
export const OWN_TOOL_PREFIX = 'weft_';

/**
 * Whether a call may become a task of the client: `optional`, if the execution does not end at once;
 * `required`, always; `forbidden`, never.
 */
export const taskSupports = ['optional', 'required', 'forbidden'] as const;
export type TaskSupport = (typeof taskSupports)[number];

/** A workflow as a tool of models, as its trigger declares it. */
export type WorkflowTool = {
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  /** JSON Schema of the arguments: an object. */
  readonly inputSchema: JsonObject;
  /** JSON Schema of the output of the execution. */
  readonly outputSchema: JsonObject | null;
  readonly taskSupport: TaskSupport;
  readonly isReadOnly: boolean;
  readonly isDestructive: boolean;
  readonly isIdempotent: boolean;
};

/** Reads the configuration of a trigger of the kind `tool`, which is valid. */
export function readWorkflowTool(config: JsonObject): WorkflowTool {
  const { name, title, description, inputSchema, outputSchema, taskSupport } = config;
  return {
    name: typeof name === 'string' ? name : '',
    title: typeof title === 'string' ? title : null,
    description: typeof description === 'string' ? description : '',
    inputSchema: isObject(inputSchema) ? inputSchema : { type: 'object' },
    outputSchema: isObject(outputSchema) ? outputSchema : null,
    taskSupport: taskSupports.find((one) => one === taskSupport) ?? 'optional',
    isReadOnly: config['readOnly'] === true,
    isDestructive: config['destructive'] !== false,
    isIdempotent: config['idempotent'] === true,
  };
}
