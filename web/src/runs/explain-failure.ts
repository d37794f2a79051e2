import type { NodeError } from 'weft-client';
import { t } from '../i18n/index.ts';

export type Explanation = {
  /** What went wrong, in a sentence. */
  readonly cause: string;
  /** What to do about it. */
  readonly advice: string;
  /** The field to change, as in `config.url`; null when it is not a field of the node. */
  readonly field: string | null;
  /** A page of the settings that helps. */
  readonly page: { readonly href: string; readonly label: string } | null;
};

type Failure = Pick<NodeError, 'type' | 'message' | 'status' | 'data'>;
type Config = Readonly<Record<string, unknown>>;
type Parts = { cause: string; advice: string; field?: string | null; page?: Explanation['page'] };

const SECRETS = { href: '/settings/secrets', label: t('Open secrets') };
const CONNECTIONS = { href: '/settings/connections', label: t('Open connections') };

/** What went wrong, and what to do, for the common failures; null where the message says it all. */
export function explainFailure(failure: Failure, config: Config): Explanation | null {
  const found =
    failure.status === undefined
      ? explainType(failure, config)
      : (explainStatus(failure.status, config) ?? explainType(failure, config));
  return found === null ? null : { field: null, page: null, ...found };
}

function explainStatus(status: number, config: Config): Parts | null {
  switch (status) {
    case 401:
      return {
        cause: t('The service did not accept the credentials.'),
        advice: t('Check that the key or token is complete, has not expired, and belongs to this service.'),
        ...findCredentialField(config),
      };
    case 403:
      return {
        cause: t('The service knows the credentials, but they do not allow this request.'),
        advice: t('Give the account or key the permission that is missing, or use another one.'),
        ...findCredentialField(config),
      };
    case 404:
    case 410:
      return {
        cause: t('The service has nothing at this address.'),
        advice: t('Check the path of the URL and the values that are inserted into it.'),
        field: findField(config, 'url'),
      };
    case 405:
      return {
        cause: t('The address does not support this method.'),
        advice: t('Choose the method that the documentation of the service names.'),
        field: findField(config, 'url', 'config.method'),
      };
    case 409:
      return {
        cause: t('The request conflicts with what the service already has.'),
        advice: t('The item may exist already, or may have changed since it was read.'),
      };
    case 413:
      return {
        cause: t('The service does not accept a request of this size.'),
        advice: t('Send fewer items at a time, or a smaller file.'),
        field: findField(config, 'body'),
      };
    case 415:
      return {
        cause: t('The service does not accept this type of body.'),
        advice: t('Choose another body type.'),
        field: findField(config, 'body', 'config.body_type'),
      };
    case 400:
    case 422:
      return {
        cause: t('The service rejected the data of the request.'),
        advice: t('The response usually names the field. Compare it with the request below.'),
        field: findField(config, 'body'),
      };
    case 429:
      return {
        cause: t('The service received too many requests.'),
        advice: t('Add a retry policy, or lower the concurrency of the loop around this node.'),
      };
    default:
      return status < 500
        ? null
        : {
            cause: t('The service itself failed.'),
            advice: t(
              'The request may be correct. Retry later, or add a retry policy; the response may say more.',
            ),
          };
  }
}

function explainType({ type, message, data }: Failure, config: Config): Parts | null {
  switch (type) {
    case 'timeout':
      return {
        cause: t('There was no result in time.'),
        advice: t('The service may be slow: retry, or allow more time in Timeout.'),
        field: 'config.timeout',
      };
    case 'network':
      return explainNetwork(message, config);
    case 'rate_limited':
      return explainStatus(429, config);
    case 'server_error':
      return explainStatus(500, config);
    case 'template':
      return {
        cause: /missing|no such field|unknown/i.test(message)
          ? t('A template reads a field that the data does not have.')
          : t('A template could not be evaluated.'),
        advice: t('Compare the template with the input below. With “| default: …” a field may be missing.'),
        field: fieldIn(data),
      };
    case 'validation':
      return {
        cause: t('A value does not have the form that the node needs.'),
        advice: t('Correct the value, or the node before it that produces it.'),
        field: fieldIn(data),
      };
    case 'forbidden':
      return /WEFT_ALLOWED_HOSTS/.test(message)
        ? {
            cause: t('The address is in a private network, which this service may not call.'),
            advice: t('The operator of this service can allow it with WEFT_ALLOWED_HOSTS.'),
            field: findField(config, 'url'),
          }
        : /may not be sent to/.test(message)
          ? {
              cause: t('A secret or a token may not be sent to this host.'),
              advice: t('Check the URL, or add the host to the hosts of the secret.'),
              field: findField(config, 'url'),
              page: message.startsWith('The secret') ? SECRETS : CONNECTIONS,
            }
          : null;
    case 'limit':
      return {
        cause: t('The run exceeded a limit of this service.'),
        advice: t('Process less data at a time, for example in pages or in several runs.'),
      };
    case 'code':
      return {
        cause: t('The code threw an error.'),
        advice: t('Check the line that the message or the details name, with the input below.'),
        field: findField(config, 'code'),
      };
    case 'interrupted':
      return {
        cause: t('The process ended several times while this node ran.'),
        advice: t('The node may need too much memory. Process less data at a time.'),
      };
    default:
      return null;
  }
}

function explainNetwork(message: string, config: Config): Parts {
  const field = findField(config, 'url');
  if (message.includes('could not be resolved'))
    return {
      cause: t('The name of the host does not exist, or could not be looked up.'),
      advice: t('Check the spelling of the host in the URL.'),
      field,
    };
  if (message.includes('refused the connection'))
    return {
      cause: t('The host refused the connection.'),
      advice: t('Check the port in the URL, and that the service is running.'),
      field,
    };
  if (message.includes('securely'))
    return {
      cause: t('The certificate of the host is not valid, or the host does not support TLS.'),
      advice: t(
        'Check the host in the URL. An expired or self-signed certificate must be replaced by its owner.',
      ),
      field,
    };
  if (message.includes('closed the connection'))
    return {
      cause: t('The service closed the connection before the response was complete.'),
      advice: t('This is often temporary: retry, or add a retry policy.'),
    };
  if (message.includes('valid HTTP'))
    return {
      cause: t('The host did not respond with HTTP.'),
      advice: t('Check the port and whether the URL must begin with http:// or https://.'),
      field,
    };
  return {
    cause: t('The host could not be reached.'),
    advice: t('Check the URL and the network of the service, and retry.'),
    field,
  };
}

/** Where the credentials of a node are set. */
function findCredentialField(config: Config): Pick<Parts, 'field' | 'page'> {
  const { authentication } = config;
  const isConnection =
    typeof authentication === 'object' && authentication !== null && 'credential' in authentication;
  return {
    field: 'authentication' in config ? 'config.authentication' : findField(config, 'credentials'),
    page: isConnection ? CONNECTIONS : JSON.stringify(config).includes('secrets.') ? SECRETS : null,
  };
}

/** The field, if the configuration has `key`. */
function findField(config: Config, key: string, field = `config.${key}`): string | null {
  return Object.hasOwn(config, key) ? field : null;
}

function fieldIn(data: unknown): string | null {
  const field = typeof data === 'object' && data !== null && 'field' in data ? data.field : null;
  return typeof field === 'string' && field !== '' ? `config.${field}` : null;
}
