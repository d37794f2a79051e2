import { Link } from 'wouter';
import type { NodeError } from 'weft-client';
import { Alert } from '../ui/alert.tsx';
import { DataView } from './data-view.tsx';
import { explainFailure } from './explain-failure.ts';
import { t } from '../i18n/index.ts';

/** Characters of a response in the message; the data of the run has all. */
const MAX_BODY_LENGTH = 300;

/** The failure of a node: what went wrong, what to do, and the request and the response of a failed call. */
export function FailureView({
  error,
  config,
  fieldHref,
}: {
  error: NodeError;
  config: Readonly<Record<string, unknown>>;
  /** The link to a field of the node. */
  fieldHref: (field: string) => string;
}) {
  const explanation = explainFailure(error, config);
  const { request, response, rest } = splitData(error.data);
  return (
    <>
      <Alert tone="bad">
        {explanation === null ? (
          <Message error={error} />
        ) : (
          <>
            <strong>{explanation.cause}</strong> {explanation.advice}
            <span className="failure__message">
              <Message error={error} />
            </span>
            {(explanation.field !== null || explanation.page !== null) && (
              <span className="failure__links">
                {explanation.field !== null && (
                  <Link href={fieldHref(explanation.field)}>
                    {t('Go to {{field}}', { field: fieldTitle(explanation.field) })}
                  </Link>
                )}
                {explanation.page !== null && (
                  <Link href={explanation.page.href}>{explanation.page.label}</Link>
                )}
              </span>
            )}
          </>
        )}
      </Alert>
      {response !== undefined && <DataView title={t('Response')} value={response} />}
      {request !== undefined && <DataView title={t('Request')} value={request} />}
      {rest !== undefined && <DataView title={t('Error details')} value={rest} />}
    </>
  );
}

function Message({ error }: { error: NodeError }) {
  return (
    <>
      <strong>{error.type}</strong>
      {error.status === undefined ? '' : ` (${error.status})`}: {error.message}
    </>
  );
}

/** The body of the response that made a node fail, shortened to one line; null without a response. */
export function ResponseBody({ error }: { error: NodeError }) {
  const { response } = splitData(error.data);
  if (response === undefined || response.body === null || response.body === '') return null;
  const text = typeof response.body === 'string' ? response.body : JSON.stringify(response.body);
  return (
    <span className="failure__message">
      {t('Response')}: <code>{shorten(text)}</code>
    </span>
  );
}

function shorten(text: string): string {
  return text.length > MAX_BODY_LENGTH ? `${text.slice(0, MAX_BODY_LENGTH)}…` : text;
}

type Response = { readonly status: unknown; readonly body: unknown };

/** An HTTP node keeps the request and the response that made it fail. The headers follow the body. */
function splitData(data: unknown): { request?: unknown; response?: Response; rest?: unknown } {
  if (data === undefined || data === null) return {};
  if (typeof data !== 'object' || Array.isArray(data)) return { rest: data };
  if (!('status' in data) || !('body' in data)) return { rest: data };
  const { request, status, body, ...others } = data as Response & { request?: unknown };
  return { response: { status, body, ...others }, ...(request === undefined ? {} : { request }) };
}

/** `config.body_type` is shown as “body type”. */
function fieldTitle(field: string): string {
  return field.replace(/^config\./, '').replaceAll('_', ' ');
}
