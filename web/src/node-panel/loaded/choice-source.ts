import type { ListPackChoicesInput } from 'weft-client';
import type { NodeType } from '../../canvas/model/catalog.ts';
import type { Entry } from '../../canvas/model/document.ts';
import type { Schema } from '../model/field.ts';
import { selectShape } from '../model/form-layout.ts';
import { isRecord } from '../model/field-path.ts';
import { hasTemplate } from '../model/local-preview.ts';

/** Where a node of a pack loads the choices of its fields. */
export type ChoiceSource = {
  readonly pack: string;
  readonly request: Pick<ListPackChoicesInput, 'version' | 'operation' | 'event' | 'authentication'>;
  /** Whether the service can be asked: a credential is chosen, or none is needed. */
  readonly isReady: boolean;
  readonly config: Readonly<Record<string, unknown>>;
};

/** A request for the choices of a field; `blocked` is a field whose template only a run can evaluate. */
export type ChoiceRequest = {
  readonly pack: string;
  readonly input: ListPackChoicesInput;
  readonly blocked: string | null;
};

const SECRET = /^\s*\{\{\s*secrets\.\w+\s*\}\}\s*$/;

/** Null for a node that is of no package of npm, or has no operation yet. */
export function findChoiceSource(type: NodeType | undefined, node: Entry): ChoiceSource | null {
  const [, pack, trigger] = /^npm\.([a-z0-9_]+)(\.trigger)?$/.exec(node.type) ?? [];
  const config = node.config ?? {};
  const item = config[trigger === undefined ? 'operation' : 'event'];
  if (type === undefined || pack === undefined || typeof item !== 'string' || item === '') return null;
  const { required = [] } = selectShape(type.config_schema as Schema, config);
  const { authentication } = config;
  const isGiven = isRecord(authentication) && isComplete(authentication);
  return {
    pack,
    request: {
      version: node.version ?? type.version,
      ...(trigger === undefined ? { operation: item } : { event: item }),
      ...(isGiven ? { authentication } : {}),
    },
    isReady: isGiven || (authentication === undefined && !required.includes('authentication')),
    config,
  };
}

/** Whether each field of the authentication has a value. */
function isComplete(authentication: Readonly<Record<string, unknown>>): boolean {
  const values = Object.values(authentication);
  return (
    values.length > 1 &&
    values.every((value) =>
      isRecord(value) ? Object.keys(value).length > 0 : value !== '' && value !== undefined,
    )
  );
}

/** The request for a field with the values of the fields that it depends on. */
export function createChoiceRequest(
  { pack, request, config }: ChoiceSource,
  field: string,
  dependsOn: readonly string[],
  search: string,
): ChoiceRequest {
  const values = Object.fromEntries(
    dependsOn.flatMap((name) => {
      const value = config[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
  const blocked = Object.entries(values).find(([, value]) => isTemplate(value))?.[0] ?? null;
  return { pack, input: { ...request, field, values, ...(search === '' ? {} : { search }) }, blocked };
}

/** Whether a value contains a template that does more than read a secret. */
function isTemplate(value: unknown): boolean {
  if (typeof value === 'string') return hasTemplate(value) && !SECRET.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(isTemplate);
}
