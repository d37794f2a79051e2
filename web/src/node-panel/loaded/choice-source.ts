import type { ListPackChoicesInput, ListProviderModelsInput, PackChoices } from 'weft-client';
import type { NodeType } from '../../canvas/model/catalog.ts';
import type { Entry } from '../../canvas/model/document.ts';
import { client } from '../../data/client.ts';
import { t } from '../../i18n/index.ts';
import type { Schema } from '../model/field.ts';
import { selectShape } from '../model/form-layout.ts';
import { isRecord } from '../model/field-path.ts';
import { hasTemplate } from '../model/local-preview.ts';

/** What can be chosen. `note` is shown beside the label. */
export type ChoiceList = Omit<PackChoices, 'options'> & {
  readonly options:
    | readonly { readonly label: string; readonly value: unknown; readonly note?: string }[]
    | null;
};

/** Where a node loads the choices of its fields: the service of its pack, or the provider of its model. */
export type ChoiceSource = {
  /** Null: the provider of a model. */
  readonly pack: PackSource | null;
  /** Whether the service can be asked: a credential is chosen, or none is needed. */
  readonly isReady: boolean;
  readonly config: Readonly<Record<string, unknown>>;
};

type PackSource = {
  readonly name: string;
  readonly request: Pick<ListPackChoicesInput, 'version' | 'operation' | 'event' | 'authentication'>;
};

/** A request for the choices of a field; `blocked` is a field whose template only a run can evaluate. */
export type ChoiceRequest = {
  /** Identifies the request. */
  readonly key: string;
  /** The values of the fields that the choices depend on. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly blocked: string | null;
  readonly load: (refresh: boolean, signal: AbortSignal) => Promise<ChoiceList>;
};

const SECRET = /^\s*\{\{\s*secrets\.\w+\s*\}\}\s*$/;

/** Null for a node that loads no choices, or has no operation or provider yet. */
export function findChoiceSource(type: NodeType | undefined, node: Entry): ChoiceSource | null {
  if (type === undefined) return null;
  const config = node.config ?? {};
  const [, pack, trigger] = /^npm\.([a-z0-9_]+)(\.trigger)?$/.exec(node.type) ?? [];
  if (pack === undefined) return findModelSource(type, config);
  const item = config[trigger === undefined ? 'operation' : 'event'];
  if (typeof item !== 'string' || item === '') return null;
  const { required = [] } = selectShape(type.config_schema as Schema, config);
  const { authentication } = config;
  const isGiven = isRecord(authentication) && isComplete(authentication);
  return {
    pack: {
      name: pack,
      request: {
        version: node.version ?? type.version,
        ...(trigger === undefined ? { operation: item } : { event: item }),
        ...(isGiven ? { authentication } : {}),
      },
    },
    isReady: isGiven || (authentication === undefined && !required.includes('authentication')),
    config,
  };
}

function findModelSource(type: NodeType, config: Readonly<Record<string, unknown>>): ChoiceSource | null {
  const { provider, baseUrl, credentials, connection } = config;
  const schema = type.config_schema as Schema;
  if (schema.properties?.['model']?.['x-ui']?.loads === undefined) return null;
  const isGiven = [credentials, connection].some((one) => typeof one === 'string' && one !== '');
  const isOpen = provider === 'openai_compatible' && typeof baseUrl === 'string' && baseUrl !== '';
  return { pack: null, isReady: typeof provider === 'string' && (isGiven || isOpen), config };
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
  { pack, config }: ChoiceSource,
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
  if (pack === null)
    return {
      key: JSON.stringify(['models', values]),
      values,
      blocked,
      load: (refresh, signal) => loadModels(values, refresh, signal),
    };
  const input = { ...pack.request, field, values, ...(search === '' ? {} : { search }) };
  return {
    key: JSON.stringify([pack.name, input]),
    values,
    blocked,
    load: (refresh, signal) =>
      client.packs.choices.list(pack.name, refresh ? { ...input, refresh } : input, { signal }),
  };
}

async function loadModels(
  { baseUrl, ...values }: Readonly<Record<string, unknown>>,
  refresh: boolean,
  signal: AbortSignal,
): Promise<ChoiceList> {
  const input = {
    ...values,
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    ...(refresh ? { refresh } : {}),
  } as ListProviderModelsInput;
  const { models, listed_at: loadedAt } = await client.providerModels.list(input, { signal });
  return {
    options: models.map(({ id, name, priced }) => ({
      label: id,
      value: id,
      note: [...(name === null ? [] : [name]), priced ? t('Price set') : t('No price')].join(' · '),
    })),
    disabled: false,
    placeholder: null,
    config_schema: null,
    loaded_at: loadedAt,
  };
}

/** Whether a value contains a template that does more than read a secret. */
function isTemplate(value: unknown): boolean {
  if (typeof value === 'string') return hasTemplate(value) && !SECRET.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(isTemplate);
}
