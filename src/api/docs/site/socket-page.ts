import { clientMessages, closeCodes, serverMessages } from '../../../contract/requests/websocket.ts';
import { isObject, type JsonObject } from '../../../lib/json/json.ts';
import { markup } from '../../oauth/markup.ts';
import { formatJson } from '../json-text.ts';
import { messageExamples } from '../example-messages.ts';
import { renderJson, renderPanel } from './code.ts';
import { renderHeading, renderSection, type Page } from './layout.ts';
import { renderParagraphs, renderTable } from './prose.ts';
import { createSchemaView } from './schema-view.ts';

/** The WebSocket page, from the AsyncAPI document. */
export function createSocketPage(
  document: JsonObject,
  root: string,
  socketUrl: string,
  logPlace: string,
): Page {
  const { schemas, messages } = document['components'] as { schemas: JsonObject; messages: JsonObject };
  const view = createSchemaView(schemas, `${root}/resources`);
  const renderMessage = (type: string) => {
    const { summary, payload } = messages[type] as { summary: string; payload: JsonObject };
    const { $ref: reference } = payload;
    const target = schemas[formatJson(reference).split('/').at(-1)!];
    return renderSection(
      markup`${renderHeading(2, type, markup`<code>${type}</code>`)}<p>${summary}</p>${isObject(target) ? view.fields(payload) : ''}`,
      markup`${(messageExamples[type] ?? []).map((one) => renderPanel('Message', renderJson(one)))}`,
    );
  };
  return {
    path: '/websocket',
    title: 'WebSocket',
    part: 'Other APIs',
    entries: [
      { id: 'connect', label: 'Connect' },
      { id: 'close-codes', label: 'Close codes' },
      ...[...Object.keys(clientMessages), ...Object.keys(serverMessages)].map((type) => ({
        id: type,
        label: type,
      })),
    ],
    body: () => markup`${renderHeading(1, 'websocket', 'WebSocket')}
<p class="lead">One connection delivers live updates of your executions and notifications. Messages are JSON in text frames, and each has a <code>type</code>.</p>
${renderSection(
  markup`${renderHeading(2, 'connect', 'Connect')}${renderParagraphs(
    `Open \`${socketUrl}\` and send \`auth\` within 10 seconds. Its token is a session token, an API key or an OAuth access token. Any other message before it closes the connection with 4401.`,
    'After `auth_success`, every change of your executions is sent as `execution_update`, in order for each execution. Under load, intermediate updates may be merged; the last one is always sent.',
    '`subscribe` restricts the stream to a workflow or an execution. Several subscriptions add up; `unsubscribe` with the same data removes one.',
    `The live log of an execution is available over [server-sent events](${logPlace}).`,
  )}`,
  renderPanel(
    'In a browser',
    markup`const socket = new WebSocket(<span class="s">'${socketUrl}'</span>);
socket.onopen = () =>
  socket.send(JSON.stringify({ type: <span class="s">'auth'</span>, token }));
socket.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  if (message.type === <span class="s">'execution_update'</span>)
    show(message.data.status, message.data.progress);
};`,
  ),
)}
${renderSection(
  markup`${renderHeading(2, 'close-codes', 'Close codes')}${renderTable(
    'Close codes',
    ['code', 'meaning'],
    Object.entries(closeCodes).map(([code, meaning]) => [`\`${code}\``, meaning]),
  )}`,
  null,
)}
<h2 class="group">From the client</h2>${Object.keys(clientMessages).map(renderMessage)}
<h2 class="group">From the service</h2>${Object.keys(serverMessages).map(renderMessage)}`,
  };
}
