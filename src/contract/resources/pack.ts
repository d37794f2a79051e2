import { Type } from 'typebox';
import { npmTriggerStrategies } from '../packs/npm-packs.ts';
import { packKinds } from '../packs/packs.ts';
import {
  AnyJson,
  Count,
  JsonObject,
  OneOf,
  Text,
  Time,
  defineList,
  nullable,
  defineResource,
} from './resource.ts';

/** Response resources of packs. */

const operationName = { id: Text(), title: Text() };

const packFields = {
  name: Text(),
  version: Text('major.minor.patch'),
  kind: OneOf(packKinds, 'openapi: made from a document. npm: a package that runs in a process of its own.'),
  node_type: Text(
    'The type by which workflows use it, such as `openapi.petstore`. A package without actions has that of its triggers.',
  ),
  title: Text(),
  description: Text(),
  operations: Count('Number of operations.'),
  document: defineResource('PackDocument', 'The document or the archive that the pack was made from.', {
    sha256: Text('In hex.'),
    size: Count('In bytes.'),
    url: nullable(
      Text(
        'The URL that it was loaded from; null when there is none, or when the caller is not an administrator.',
      ),
    ),
  }),
  installed_by: nullable(Text('The id of a user; null for a dry run.')),
  installed_at: nullable(Time('Null for a dry run.')),
  versions: Type.Array(Text(), { description: 'All installed versions, newest first.' }),
};

export const PackResource = defineResource(
  'Pack',
  'A connector that is installed for all users.',
  packFields,
);
export const PackListResource = defineList('PackList', 'packs', PackResource);

export const PackDetailResource = defineResource(
  'PackDetail',
  'A pack, with what its document states about the API.',
  {
    ...packFields,
    document_version: Text('The version as the document states it.'),
    servers: Type.Array(
      defineResource('PackServer', 'A base URL of the API.', { url: Text(), description: Text() }),
      { description: 'The first is the default. Empty: each node names the base URL.' },
    ),
    authentication: Type.Array(
      defineResource('PackAuthentication', 'A way to authenticate.', {
        id: Text(),
        kind: OneOf(['api_key', 'basic', 'bearer', 'oauth2', 'secret_text', 'fields', 'other']),
        description: Text(),
        field: nullable(
          Text(
            'The field of a configuration that takes it: `apiKeys.key` or `authentication`. Null: no field does.',
          ),
        ),
        in: nullable(OneOf(['header', 'query', 'cookie'], 'Where an API key is sent; null for other kinds.')),
        name: nullable(Text('The name under which an API key is sent; null for other kinds.')),
        grants: Type.Array(
          defineResource('PackGrant', 'A way to obtain a token of OAuth 2.0.', {
            grant_type: OneOf(['authorization_code', 'client_credentials']),
            authorization_url: nullable(Text()),
            token_url: nullable(Text()),
            scopes: Type.Array(
              defineResource('PackScope', 'A scope that the API has.', { name: Text(), description: Text() }),
            ),
            authorization_params: Type.Record(Type.String(), Text(), {
              description: 'Additional parameters of the authorization URL, for a connection.',
            }),
            pkce: nullable(
              Type.Boolean({ description: 'Whether the service supports PKCE; null: not stated.' }),
            ),
          }),
          { description: 'Empty for other kinds than `oauth2`.' },
        ),
        fields: Type.Array(
          defineResource('PackAuthenticationField', 'A value with which a package authenticates.', {
            name: Text('The name of the field of a connection.'),
            title: Text(),
            description: Text(),
            required: Type.Boolean(),
            secret: Type.Boolean(),
          }),
          { description: 'Empty for other kinds than `fields`.' },
        ),
      }),
    ),
    package: nullable(
      defineResource('PackPackage', 'The npm package of a pack.', {
        name: Text(),
        integrity: Text('`sha512-` and the hash of the archive in base64.'),
        signed_by: nullable(
          Text(
            "The id of the registry's key whose signature was checked. Null: the registry has no keys, or the archive was uploaded.",
          ),
        ),
        license: nullable(Text('As the package states it; null when it states none.')),
      }),
    ),
    triggers: Type.Array(
      defineResource('PackTrigger', 'A trigger that a package has.', {
        ...operationName,
        description: Text(),
        strategy: nullable(
          OneOf(
            npmTriggerStrategies,
            'polling: Weft asks the service. webhook: the service sends requests to an address of the trigger. app_webhook: the service sends the events of all accounts to the address of the app of the pack.',
          ),
        ),
        node_type: nullable(
          Text(
            'The type of the trigger node, whose configuration has the id as `event`. Null: the trigger cannot start workflows.',
          ),
        ),
      }),
      { description: 'Empty for a pack from a document.' },
    ),
    warnings: Type.Array(Text(), { description: 'Parts of the document that were left out or simplified.' }),
  },
);

export const PackAppResource = defineResource(
  'PackApp',
  'The app of a pack at its service, which sends the events of all accounts to one address.',
  {
    pack: Text('The name of the pack.'),
    url: Text('The address to enter in the settings of the app at the service.'),
    updated_at: Time('When the signing secret was entered.'),
  },
);

const OperationName = defineResource(
  'PackOperationName',
  'An operation that only one of two versions has.',
  operationName,
);

const PackChangesResource = defineResource(
  'PackChanges',
  'The differences between two versions. Each list has at most 500 entries.',
  {
    from_version: nullable(Text('The newest installed version; null when there is none.')),
    added_count: Count('Number of added operations.'),
    removed_count: Count('Number of removed operations.'),
    changed_count: Count('Number of changed operations.'),
    added: Type.Array(OperationName),
    removed: Type.Array(OperationName),
    changed: Type.Array(
      defineResource(
        'PackOperationChange',
        'An operation that differs. A field is `query.page` or `body.title`.',
        {
          ...operationName,
          added: Type.Array(Text(), { description: 'Fields that are new.' }),
          removed: Type.Array(Text(), { description: 'Fields that are gone.' }),
          changed: Type.Array(Text(), { description: 'Fields that accept other values.' }),
          required: Type.Array(Text(), { description: 'Fields that are required now, and were not before.' }),
          properties: Type.Array(Text(), {
            description:
              'Other differences: `method`, `path`, `deprecated`, `response`, `security`, `servers`, `idempotent`.',
          }),
        },
      ),
    ),
  },
);

export const packOutcomes = ['installed', 'unchanged', 'conflict'] as const;
export type PackOutcome = (typeof packOutcomes)[number];

export const PackInstallationResource = defineResource(
  'PackInstallation',
  'The result of an installation or a dry run.',
  {
    outcome: OneOf(
      packOutcomes,
      'installed: the version is new. unchanged: it was installed before, with the same document. conflict (only in a dry run): it was installed before, with another document.',
    ),
    dry_run: Type.Boolean(),
    pack: PackDetailResource,
    changes: PackChangesResource,
    suggested_version: Text('The version of the pack if it is free; otherwise one after the newest.'),
  },
);

const briefFields = {
  ...operationName,
  method: nullable(Text('Null for an action of a package.')),
  path: nullable(
    Text('Below the URL of the server, with `{name}` for path parameters. Null for an action of a package.'),
  ),
  tags: Type.Array(Text()),
  deprecated: Type.Boolean(),
};
const operationFields = {
  ...briefFields,
  description: Text(),
  idempotent: nullable(
    Type.Boolean({
      description:
        'Whether the package states that the action may run twice. Otherwise it is not repeated after a crash or a failure. Null for an operation of a document.',
    }),
  ),
};

export const PackOperationResource = defineResource(
  'PackOperation',
  'An operation of a pack.',
  operationFields,
);

export const PackOperationNamesResource = defineResource(
  'PackOperationNames',
  'All operations of a version, without descriptions, in the order of its document.',
  {
    name: Text(),
    version: Text(),
    operations: Type.Array(
      defineResource('PackOperationBrief', 'An operation without its description.', briefFields),
    ),
  },
);

export const PackWorkflowListResource = defineResource(
  'PackWorkflowList',
  'The workflows of all users that use a pack, at most 100.',
  {
    workflows: Type.Array(
      defineResource('PackWorkflow', 'A workflow that uses a pack.', {
        id: Text(),
        owner_id: Text(),
        name: nullable(Text('Null for the workflow of another user.')),
        versions: Type.Array(Type.Integer(), {
          description: 'The versions of the workflow that use the pack, at most 100.',
        }),
      }),
    ),
    complete: Type.Boolean({ description: 'Whether the list has all of them.' }),
  },
);
export const PackOperationListResource = defineList('PackOperationList', 'operations', PackOperationResource);
export const PackOperationDetailResource = defineResource(
  'PackOperationDetail',
  'An operation of a pack, with its form.',
  {
    ...operationFields,
    config_schema: JsonObject('JSON Schema of the configuration of a node that runs the operation.'),
    secret_fields: Type.Array(Text('A field of the configuration and everything below it.'), {
      description: 'The fields that may use `{{ secrets.NAME }}`.',
    }),
    security: Type.Array(
      Type.Array(
        defineResource('PackSecurity', 'A way to authenticate that the operation needs.', {
          id: Text('Of an entry in `authentication` of the pack.'),
          scopes: Type.Array(Text()),
        }),
        { description: 'Needed together. Empty: no authentication.' },
      ),
      { description: 'Alternatives. Empty: the document states none.' },
    ),
    response_type: nullable(
      Text('The media type of a successful response; null when the document states none.'),
    ),
    response_schema: nullable(JsonObject('JSON Schema of the body of a successful response.')),
  },
);

export const PackChoicesResource = defineResource('PackChoices', 'What a pack loaded for a field.', {
  options: nullable(
    Type.Array(
      defineResource('PackChoice', 'A value that the field accepts.', {
        label: Text(),
        value: AnyJson('The value for the configuration.'),
      }),
      { description: 'In the order of the pack; null for a field that is an object.' },
    ),
  ),
  disabled: Type.Boolean({ description: 'Whether the pack states that the field takes no value now.' }),
  placeholder: nullable(Text('What the pack states about the list, such as why it is empty.')),
  config_schema: nullable(
    JsonObject('JSON Schema of the value of a field that is an object; null for others.'),
  ),
  loaded_at: Time('When it was loaded from the service.'),
});
