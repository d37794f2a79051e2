import { createHmac } from 'node:crypto';
import { senderPresets, type SenderPreset } from '../../../contract/webhook-presets.ts';
import { markup } from '../../oauth/markup.ts';
import { curl, jsonCode, panel } from './code.ts';
import { heading, section, type Page } from './layout.ts';
import { bullets, paragraphs, table } from './prose.ts';
import { entryOf, operationSection, operationsOf, placeOf, type RestParts } from './rest-page.ts';

/** How others call: the address, the proof, the answer. */
export function webhookPage(parts: RestParts): Page {
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
    part: 'Other doors',
    entries: [
      { id: 'address', label: 'Address' },
      { id: 'proof', label: 'Proof of the caller' },
      { id: 'senders', label: 'Known senders' },
      { id: 'repeats', label: 'Repeats' },
      { id: 'answers', label: 'Answers' },
      ...operationsOf(document, 'Webhooks').map(entryOf),
    ],
    body: () => markup`${heading(1, 'webhooks', 'Webhooks')}
<p class="lead">A webhook trigger gives its workflow an address that others call. Nothing is stored before the caller is proved and the body fits; once it is answered, the execution is on disk.</p>
${section(
  markup`${heading(2, 'address', 'Address')}${paragraphs(
    `\`${baseUrl}/webhooks/{endpoint}\`, with the method of the trigger. The endpoint may have several segments and \`:parameters\`; a fixed segment goes before a parameter. Method and endpoint are unique among the active workflows. \`${baseUrl}/webhooks/{workflow_id}/{endpoint}\` works beside it and never collides.`,
    `The trigger delivers \`{body, query, headers, params, method}\`. Bodies are JSON, forms or text, at most 16 MiB. With \`rawBody: true\` it delivers \`raw\` and \`raw_encoding\`, too: the bytes as they were sent, as text or base64, of bodies of at most 4 MiB. A draft can be tried out with a [test address](${placeOf(document, root, 'listenToWebhook')}).`,
  )}`,
  panel('Configuration of the trigger', jsonCode(trigger)),
)}
${section(
  markup`${heading(2, 'proof', 'Proof of the caller')}<p>Each trigger says how its callers prove who they are. It never defaults to open: <code>none</code> has to be written out.</p>${table(
    'Authentication of webhooks',
    ['authentication', 'the secret holds', 'the caller sends'],
    [
      ['`none`', '', 'nothing'],
      ['`basic`', '`user:password`', '`Authorization: Basic …`'],
      ['`bearer`', 'the token', '`Authorization: Bearer …`'],
      ['`api_key`', 'the key', '`X-API-Key: …`'],
      ['`hmac`', 'the key', 'a signature over the raw bytes of the body'],
      ['`sender`', 'the token or key that is shared with the sender', 'what its service sends, see below'],
    ],
  )}${paragraphs(
    `The signature of \`hmac\` is \`X-Weft-Signature: t=<unix seconds>,v1=<hex>\`: HMAC-SHA256 of the time, a dot and the raw body, within 300 seconds. The [trigger](${root}/nodes#trigger) has all of its fields.`,
  )}`,
  markup`${panel('With a token', curl({ method: 'POST', url, credential: null, headers: ['Authorization: Bearer $ORDERS_KEY'], body: { id: 'o-17', total: 720 } }))}${panel(
    'With a signature',
    curl({
      method: 'POST',
      url,
      credential: null,
      headers: [`X-Weft-Signature: t=${time},v1=${signature}`],
      rawBody: body,
    }),
  )}`,
)}
${section(
  markup`${heading(2, 'senders', 'Known senders')}${paragraphs(
    'With `authentication: "sender"` requests are checked as their service signs them. `preset` names a known service. Each preset stands for a `verification`, which can be written out for any other service.',
  )}${table(
    'Presets of webhooks',
    ['preset', 'sender', 'checked with', 'verification'],
    Object.entries(senderPresets).map(([name, preset]) => presetRow(name, preset)),
  )}${paragraphs(
    '`signed` says what the signature covers: text with the placeholders `{body}` (the raw bytes), `{time}`, `{url}` (the full address that was called), `{form}` (the fields of a form by name, each name followed by its value), `{method}` and `{header:Name}`. A time counts within `tolerance`, 5 minutes unless set. With `separator` a header may carry several signatures, and one valid signature is enough, so that keys can be rotated. Ed25519 and ECDSA need `publicKey` instead of `secret`.',
    'These start nothing: Slack’s `url_verification` and Discord’s `PING`, which are answered once their signature was verified; the GET with which Meta verifies the address, when its token is the one in the secret that `verifySecret` names; a subscription of Amazon SNS, which is confirmed for the topics in `topicArns`; and the `OPTIONS` with which a sender of CloudEvents in `cloudEventsOrigins` asks whether it may deliver.',
  )}`,
  markup`${panel('A known sender', jsonCode(knownSender))}${panel('The same, written out', jsonCode(writtenOut))}`,
)}
${section(
  markup`${heading(2, 'repeats', 'Repeats')}${paragraphs(
    'A sender that got no answer sends again. A repeat is recognised by `deduplicate` of the trigger; without it by `idHeader` or `idField` of its sender, or what was signed together with a time; without these by `Idempotency-Key`, `webhook-id` or `X-GitHub-Delivery`, the first that is there. The key is kept for 24 hours, and a repeat gets the same execution’s answer.',
  )}`,
  null,
)}
${section(
  markup`${heading(2, 'answers', 'Answers')}${bullets(
    '`respond: "immediately"`: 200 with `{execution_id}`, once the execution is on disk.',
    '`respond: "on_completion"`: 200 with the output; 500 `EXECUTION_FAILED` when it failed; after `timeout` (30 s unless set) 200 with `{execution_id, status}`.',
    '`respond: "respond"`: what the first `respond` node that is reached says.',
    'Every answer carries `X-Weft-Execution-Id`.',
  )}`,
  null,
)}
${operationsOf(document, 'Webhooks').map((found) => operationSection(parts, found))}`,
  };
}

function presetRow(name: string, { title, verification }: SenderPreset): string[] {
  const { type, ...fields } = verification;
  const given = Object.entries(fields).map(([field, value]) => `\`${field}: ${JSON.stringify(value)}\``);
  if (type === 'sns')
    return [`\`${name}\``, title, '`topicArns`', 'a certificate of Amazon; only by this preset'];
  const checkedWith = type === 'hmac' || type === 'token' ? '`secret`' : '`publicKey`';
  return [`\`${name}\``, title, checkedWith, [`\`type: "${type}"\``, ...given].join(', ')];
}
