import { CircleCheck, Ear, Pin, PinOff, Square } from 'lucide-react';
import { Fragment, useEffect, useState, type ReactNode } from 'react';
import type { Entry } from '../../canvas/model/document.ts';
import type { Autosave } from '../../canvas/state/autosave.ts';
import { isJsonEqual } from '../../canvas/model/json-equal.ts';
import { listEndsWithoutRespond } from '../../canvas/model/missing-respond.ts';
import type { Editor } from '../../canvas/state/editor.ts';
import { publish } from '../../canvas/state/publish.ts';
import { useStore } from '../../data/store.ts';
import { Alert } from '../../ui/alert.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Time } from '../../ui/time.tsx';
import { DataView } from '../data-view.tsx';
import type { Listening, TestEvent } from './listening.ts';
import type { Pins } from '../pins/pins.ts';
import {
  formatCountdown,
  formatCurlCommand,
  getMethod,
  getPath,
  describePlaceholder,
  buildProductionUrl,
  getTriggerState,
} from './webhook-request.ts';
import { t } from '../../i18n/index.ts';

/** Delay from the last change of the endpoint to the save that returns the URL. */
const SAVE_DELAY_MS = 500;
/** Ends of branches that a warning names. */
const MAX_NAMES = 3;

type Config = NonNullable<Entry['config']>;

/** The URLs of a webhook trigger, whether it receives requests, and a test with a real one. */
export function WebhookPanel({
  node,
  editor,
  saver,
  pins,
  listening,
}: {
  node: Entry;
  editor: Editor;
  saver: Autosave;
  pins: Pins;
  listening: Listening;
}) {
  const config = node.config ?? {};
  return (
    <>
      <section className="webhook" aria-label={t('Webhook')}>
        <ProductionUrl node={node} config={config} editor={editor} saver={saver} />
        <TestUrl node={node} config={config} saver={saver} pins={pins} listening={listening} />
      </section>
      {config['respond'] === 'respond' && <MissingRespond id={node.id} editor={editor} />}
    </>
  );
}

/** Names the branches that end without a Respond node. */
function MissingRespond({ id, editor }: { id: string; editor: Editor }) {
  const { doc } = useStore(editor.history);
  const ends = listEndsWithoutRespond(doc, editor.catalog, id);
  if (ends.length === 0) return null;
  const names = [...ends.slice(0, MAX_NAMES), ...(ends.length > MAX_NAMES ? ['…'] : [])].join(', ');
  return (
    <Alert tone="warn">
      {t('No Respond node is reached after {{names}}. These requests get the output of the execution.', {
        names,
      })}
    </Alert>
  );
}

function ProductionUrl({
  node,
  config,
  editor,
  saver,
}: {
  node: Entry;
  config: Config;
  editor: Editor;
  saver: Autosave;
}) {
  const workflow = useStore(saver.workflow);
  const path = getPath(config);
  const url = buildProductionUrl(workflow, config);
  useServiceUrl(saver, path, url);
  const state = node.disabled === true ? 'off' : getTriggerState(workflow, node.id, config);
  return (
    <div className="webhook__part">
      <p className="webhook__head">
        <span className="field__label">{t('Production URL')}</span>
        <span className="grow" />
        <Badge tone={state === 'live' ? 'good' : 'plain'} hasDot>
          {state === 'live' ? t('Live') : t('Not live')}
        </Badge>
      </p>
      <Url
        method={getMethod(config)}
        url={url}
        label={t('Copy production URL')}
        placeholder={path === null ? t('Enter a path below') : `…${path}`}
      />
      {node.disabled === true ? (
        <p className="field__hint">{t('This trigger is disabled. Enable it to receive requests.')}</p>
      ) : state === 'live' ? (
        <p className="field__hint">{t('Each request to this URL runs the published version.')}</p>
      ) : (
        <PublishPart saver={saver} editor={editor} hasPath={path !== null} />
      )}
      {state === 'live' && url !== null && (
        <details className="webhook__details">
          <summary>{t('Example request')}</summary>
          <Curl url={url} config={config} label={t('Copy production curl command')} />
        </details>
      )}
    </div>
  );
}

/** Only the service knows its public URL; it returns it with the saved trigger. */
export function useServiceUrl(saver: Autosave, path: string | null, url: string | null): void {
  const isUnknown = path !== null && url === null;
  useEffect(() => {
    if (!isUnknown) return;
    const timer = setTimeout(() => void saver.flush(), SAVE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [isUnknown, path, saver]);
}

/** Publishes the trigger that does not receive requests. */
export function PublishPart({
  saver,
  editor,
  hasPath,
}: {
  saver: Autosave;
  editor: Editor;
  hasPath: boolean;
}) {
  const isActive = useStore(saver.workflow).status === 'active';
  const [isBusy, setIsBusy] = useState(false);
  const act = async (): Promise<void> => {
    setIsBusy(true);
    await publish(saver, editor);
    setIsBusy(false);
  };
  return (
    <div className="webhook__act">
      <p className="field__hint">
        {isActive
          ? t('The published version does not receive requests here. Publish your changes.')
          : t('Activate the workflow to receive requests at this URL.')}
      </p>
      <Button size="small" isBusy={isBusy} disabled={!hasPath} onClick={() => void act()}>
        {isActive ? t('Publish changes') : t('Activate workflow')}
      </Button>
    </div>
  );
}

function TestUrl({
  node,
  config,
  saver,
  pins,
  listening,
}: {
  node: Entry;
  config: Config;
  saver: Autosave;
  pins: Pins;
  listening: Listening;
}) {
  const shared = useStore(listening.state);
  const state = 'nodeId' in shared && shared.nodeId === node.id ? shared : ({ kind: 'idle' } as const);
  const listen = (): void => void listening.start(node.id, () => saver.flush());
  const isFirst = state.kind === 'idle' || state.kind === 'opening';
  return (
    <div className="webhook__part">
      <p className="webhook__head">
        <span className="field__label">{t('Test URL')}</span>
        <span className="grow" />
        {state.kind === 'listening' && (
          <Badge tone="busy" hasDot>
            {t('Listening')}
          </Badge>
        )}
      </p>
      <Url
        method={state.kind === 'listening' ? state.listener.method : getMethod(config)}
        url={state.kind === 'listening' ? state.listener.url : null}
        label={t('Copy test URL')}
        placeholder={t('Created when you listen')}
      />
      {state.kind === 'listening' ? (
        <Waiting
          url={state.listener.url}
          until={state.until}
          config={config}
          onStop={() => listening.stop()}
        />
      ) : (
        <>
          {state.kind === 'stopped' && (
            <p className="field__hint" role="status">
              {t('Stopped listening. The test URL is closed.')}
            </p>
          )}
          {state.kind === 'expired' && (
            <Alert>
              <strong>{t('No event received.')}</strong>{' '}
              {t('The test URL expired. Listen again for a new one.')}
            </Alert>
          )}
          {state.kind === 'failed' && <Alert tone="bad">{state.message}</Alert>}
          {state.kind !== 'received' && <PinnedData nodeId={node.id} pins={pins} />}
          {state.kind === 'received' && <Received event={state.event} nodeId={node.id} pins={pins} />}
          <Button
            variant={state.kind === 'received' ? 'plain' : 'primary'}
            icon={<Ear size={14} />}
            isBusy={state.kind === 'opening'}
            disabled={getPath(config) === null}
            onClick={listen}
          >
            {isFirst ? t('Listen for a test event') : t('Listen again')}
          </Button>
          {isFirst && (
            <p className="field__hint">
              {t(
                'Opens a URL that accepts one request within two minutes and runs the workflow, even a draft.',
              )}
            </p>
          )}
        </>
      )}
    </div>
  );
}

/** A note that runs use pinned data. A received event shows this itself. */
function PinnedData({ nodeId, pins }: { nodeId: string; pins: Pins }) {
  if (!useStore(pins.outputs).has(nodeId)) return null;
  return (
    <div className="webhook__act">
      <p className="field__hint">{t('Run uses pinned test data for this trigger.')}</p>
      <Button size="small" icon={<PinOff size={13} />} onClick={() => void pins.unpin(nodeId)}>
        {t('Unpin')}
      </Button>
    </div>
  );
}

/** A method and a URL to copy. */
export function Url({
  method,
  url,
  label,
  placeholder,
}: {
  /** Null for a form, which is opened. */
  method: string | null;
  /** Null while there is none. */
  url: string | null;
  label: string;
  placeholder: string;
}) {
  return (
    <div className="webhook__url">
      {method !== null && <span className="webhook__method">{method}</span>}
      {url === null ? (
        <span className="faint grow">{placeholder}</span>
      ) : (
        <code>{insertLineBreaks(url)}</code>
      )}
      {url !== null && <CopyButton text={url} label={label} />}
    </div>
  );
}

/** Allows a line break after each slash. */
function insertLineBreaks(url: string): ReactNode {
  return url.split(/(?<=[^/]\/)(?=[^/])/).map((part, index) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}

function Waiting({
  url,
  until,
  config,
  onStop,
}: {
  url: string;
  /** In epoch ms. */
  until: number;
  config: Config;
  onStop: () => void;
}) {
  return (
    <>
      <div className="webhook__waiting">
        <span className="spinner" aria-hidden="true" />
        <span>{t('Waiting for a request')}</span>
        <Countdown until={until} />
        <span className="grow" />
        <Button size="small" icon={<Square size={12} />} onClick={onStop}>
          {t('Stop')}
        </Button>
      </div>
      <p className="field__hint">{t('Send a request, for example with this command:')}</p>
      <Curl url={url} config={config} label={t('Copy curl command')} />
    </>
  );
}

function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className="numbers" role="timer" aria-label={t('Time left')}>
      {formatCountdown(until - now)}
    </span>
  );
}

function Curl({ url, config, label }: { url: string; config: Config; label: string }) {
  const command = formatCurlCommand(url, config);
  const hint = describePlaceholder(config);
  return (
    <>
      <div className="webhook__curl">
        <pre tabIndex={0} role="region" aria-label={t('curl command')}>
          {command}
        </pre>
        <CopyButton text={command} label={label} />
      </div>
      {hint !== null && <p className="field__hint">{hint}</p>}
    </>
  );
}

function Received({ event, nodeId, pins }: { event: TestEvent; nodeId: string; pins: Pins }) {
  const isUsed = isJsonEqual(useStore(pins.outputs).get(nodeId)?.output, event.input);
  return (
    <div className="webhook__event">
      <p className="webhook__head" role="status">
        <CircleCheck size={15} aria-hidden="true" />
        <strong>{t('Event received')}</strong>
        <span className="faint">
          <Time at={event.at} />
        </span>
      </p>
      <Button
        variant={isUsed ? 'plain' : 'primary'}
        icon={isUsed ? <PinOff size={14} /> : <Pin size={14} />}
        onClick={() =>
          void (isUsed ? pins.unpin(nodeId) : pins.pin(nodeId, { output: event.input, ports: null }))
        }
      >
        {isUsed ? t('Stop using as test data') : t('Use as test data')}
      </Button>
      <p className="field__hint">
        {isUsed
          ? t('Run uses this event until you unpin it.')
          : t('Run and the fields of the next nodes then use this event.')}
      </p>
      <DataView title={t('Event')} value={event.input} />
    </div>
  );
}
