import { createHmac } from 'node:crypto';
import { senderPresets, type SenderPreset } from '../../../contract/webhooks/webhook-presets.ts';
import { markup } from '../../oauth/markup.ts';
import { renderCurl, renderJson, renderPanel } from './code.ts';
import { renderHeading, renderSection, type Page } from './layout.ts';
import { renderBullets, renderParagraphs, renderTable } from './prose.ts';
import { createEntry, renderOperation, listOperations, findPath, type RestParts } from './rest-page.ts';

/** The webhook page: URL, authentication and response. */
export function createWebhookPage(parts: RestParts): Page {
  const { document, root, baseUrl } = parts;
  const url = `${baseUrl}/webhooks/orders`;
  const body = '{"id":"o-17","total":720}';
  const time = '1772443211';
  const signature = createHmac('sha256', 'signing key of the shop').update(`${time}.${body}`).digest('hex');
  const trigger = {
    triggerType: 'webhook',
    endpoint: 'orders',
    method: 'POST',
    authentication: 'hmac',
    secret: 'ORDERS_KEY',
    expectedSchema: { total: 'number' },
    respond: 'immediately',
  };
  const knownSender = {
    triggerType: 'webhook',
    endpoint: 'payments',
    authentication: 'sender',
    preset: 'stripe',
    secret: 'STRIPE_SIGNING_SECRET',
  };
  const { preset: _, ...rest } = knownSender;
  const writtenOut = { ...rest, verification: senderPresets.stripe.verification };
  return {
    path: '/webhooks',
    title: 'Webhooks',
    part: 'Other APIs',
    entries: [
      { id: 'address', label: 'Address' },
      { id: 'proof', label: 'Authentication' },
      { id: 'senders', label: 'Known senders' },
      { id: 'repeats', label: 'Repeats' },
      { id: 'responses', label: 'Responses' },
      ...listOperations(document, 'Webhooks').map(createEntry),
    ],
    body: () => markup`${renderHeading(1, 'webhooks', 'Webhooks')}
<p class="lead">A webhook trigger gives its workflow a URL that other services call. Nothing is stored before the caller is authenticated and the body is valid. When the response is sent, the execution is on disk.</p>
${renderSection(
  markup`${renderHeading(2, 'address', 'Address')}${renderParagraphs(
    `\`${baseUrl}/webhooks/{endpoint}\`, with the method of the trigger. The endpoint may have several segments and \`:parameters\`; a fixed segment takes precedence over a parameter. Method and endpoint are unique among the active workflows. \`${baseUrl}/webhooks/{workflow_id}/{endpoint}\` also works and never collides.`,
    `The trigger delivers \`{body, query, headers, params, method}\`. Bodies are JSON, forms or text of at most 16 MiB. With \`rawBody: true\` it also delivers \`raw\` and \`raw_encoding\`: the original bytes as text or base64, for bodies of at most 4 MiB. A draft can be tested with a [test URL](${findPath(document, root, 'listenToWebhook')}).`,
  )}`,
  renderPanel('Configuration of the trigger', renderJson(trigger)),
)}
${renderSection(
  markup`${renderHeading(2, 'proof', 'Authentication')}<p>Each trigger defines how its callers authenticate. There is no open default: <code>none</code> must be explicit.</p>${renderTable(
    'Authentication of webhooks',
    ['authentication', 'the secret contains', 'the caller sends'],
    [
      ['`none`', '', 'nothing'],
      ['`basic`', '`user:password`', '`Authorization: Basic …`'],
      ['`bearer`', 'the token', '`Authorization: Bearer …`'],
      ['`api_key`', 'the key', '`X-API-Key: …`'],
      ['`hmac`', 'the key', 'a signature over the raw bytes of the body'],
      ['`sender`', 'the token or key that is shared with the sender', 'a signature or token, see below'],
    ],
  )}${renderParagraphs(
    `The signature of \`hmac\` is \`X-Weft-Signature: t=<unix seconds>,v1=<hex>\`: HMAC-SHA256 of the time, a dot and the raw body, within 300 seconds. The [trigger](${root}/nodes#trigger) documents all fields.`,
  )}`,
  markup`${renderPanel('With a token', renderCurl({ method: 'POST', url, credential: null, headers: ['Authorization: Bearer $ORDERS_KEY'], body: { id: 'o-17', total: 720 } }))}${renderPanel(
    'With a signature',
    renderCurl({
      method: 'POST',
      url,
      credential: null,
      headers: [`X-Weft-Signature: t=${time},v1=${signature}`],
      rawBody: body,
    }),
  )}`,
)}
${renderSection(
  markup`${renderHeading(2, 'senders', 'Known senders')}${renderParagraphs(
    'With `authentication: "sender"` requests are verified with the signature scheme of the sender. `preset` names a known service. Each preset is short for a `verification`, which can be configured for any other service.',
  )}${renderTable(
    'Presets of webhooks',
    ['preset', 'sender', 'verified with', 'verification'],
    Object.entries(senderPresets).map(([name, preset]) => presetRow(name, preset)),
  )}${renderParagraphs(
    '`signed` defines the signed content: text with the placeholders `{body}` (the raw bytes), `{time}`, `{url}` (the full URL of the request), `{form}` (the fields of a form by name, each name followed by its value), `{method}` and `{header:Name}`. Times must be within `tolerance`, by default 5 minutes. With `separator`, a header may contain several signatures, of which one must be valid, so that keys can be rotated. Ed25519 and ECDSA need `publicKey` instead of `secret`.',
    'These requests start no execution: Slack’s `url_verification` and Discord’s `PING`, which get a response after their signature is verified; the GET with which Meta verifies the URL, if its token matches the secret in `verifySecret`; a subscription of Amazon SNS, which is confirmed for the topics in `topicArns`; and the `OPTIONS` of the CloudEvents validation handshake, for origins in `cloudEventsOrigins`.',
  )}`,
  markup`${renderPanel('A known sender', renderJson(knownSender))}${renderPanel('The same as a verification', renderJson(writtenOut))}`,
)}
${renderSection(
  markup`${renderHeading(2, 'repeats', 'Repeats')}${renderParagraphs(
    'A sender without a response sends the request again. Repeated deliveries are recognized by `deduplicate` of the trigger; without it, by `idHeader` or `idField` of the sender, or by the signed content with its time; without these, by the first of `Idempotency-Key`, `webhook-id` and `X-GitHub-Delivery`. Keys are kept for 24 hours, and a repeated delivery gets the response of the same execution.',
  )}`,
  null,
)}
${renderSection(
  markup`${renderHeading(2, 'responses', 'Responses')}${renderBullets(
    '`respond: "immediately"`: 200 with `{execution_id}`, once the execution is on disk.',
    '`respond: "on_completion"`: 200 with the output; 500 `EXECUTION_FAILED` if it failed; after `timeout` (default 30 s) 200 with `{execution_id, status}`.',
    '`respond: "respond"`: the response of the first `respond` node that is reached.',
    'Every response has `X-Weft-Execution-Id`.',
  )}`,
  null,
)}
${listOperations(document, 'Webhooks').map((found) => renderOperation(parts, found))}`,
  };
}

function presetRow(name: string, { title, verification }: SenderPreset): string[] {
  const { type, ...fields } = verification;
  const given = Object.entries(fields).map(([field, value]) => `\`${field}: ${JSON.stringify(value)}\``);
  if (type === 'sns')
    return [`\`${name}\``, title, '`topicArns`', 'an Amazon certificate; only available as this preset'];
  const checkedWith = type === 'hmac' || type === 'token' ? '`secret`' : '`publicKey`';
  return [`\`${name}\``, title, checkedWith, [`\`type: "${type}"\``, ...given].join(', ')];
}
