/**
 * The script of chat pages. The page has an origin of its own (`sandbox`), so that it has no cookies and no
 * storage: what it must not forget is in its URL. Texts are only ever set as text.
 */
export const chatScript = String.raw`
const config = JSON.parse(document.getElementById('config').textContent);
const { texts } = config;
const log = document.getElementById('log');
const frame = document.getElementById('frame');
const form = document.querySelector('form');
const field = form.elements.text;
const files = form.elements.files;
const button = form.querySelector('button');
const status = document.getElementById('status');
const refs = new Set();
const MAX_TRIES = 60;
let isBusy = false;
/** The message in the field that may have been sent before the page was loaded again. */
let unsent = null;

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function createId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function addMessage(role, text) {
  const item = document.createElement('li');
  item.className = role;
  const name = document.createElement('span');
  name.className = 'visually-hidden';
  name.textContent = (role === 'user' ? texts.you : texts.assistant) + ': ';
  const body = document.createElement('p');
  body.textContent = text;
  item.append(name, body);
  log.append(item);
  frame.scrollTop = frame.scrollHeight;
  return { item, body };
}

function setBusy(value) {
  isBusy = value;
  button.disabled = value;
  status.textContent = value ? texts.thinking : '';
}

/** The response to a message, as its events arrive. */
function createResponse() {
  const parts = new Map();
  let message = null;
  let notice = null;
  const show = (text) => {
    if (text === '' && message === null) return;
    const isAtEnd = frame.scrollHeight - frame.scrollTop - frame.clientHeight < 80;
    message ??= addMessage('assistant', '');
    message.item.setAttribute('aria-busy', 'true');
    message.body.textContent = text;
    if (isAtEnd) frame.scrollTop = frame.scrollHeight;
  };
  const joined = () => [...parts.values()].filter((text) => text !== '').join('\n\n');
  const removeNotice = () => {
    notice?.remove();
    notice = null;
  };
  return {
    /** Returns true at the end. */
    receive(event) {
      if (event.type === 'text') {
        removeNotice();
        parts.set(event.part, (parts.get(event.part) ?? '') + event.text);
        show(joined());
      } else if (event.type === 'reset') {
        parts.set(event.part, '');
        show(joined());
      } else if (event.type === 'approval') {
        removeNotice();
        notice = document.createElement('li');
        const body = document.createElement('p');
        body.className = 'asked';
        body.textContent = texts.asked;
        if (event.decision !== null) {
          const link = document.createElement('a');
          link.href = event.decision.url;
          link.target = '_blank';
          link.rel = 'noopener';
          link.textContent = texts.decide;
          body.append(' ', event.decision.title + ' ', link);
        }
        notice.append(body);
        log.append(notice);
        frame.scrollTop = frame.scrollHeight;
      } else if (event.type === 'done') {
        removeNotice();
        refs.add(event.ref);
        if (event.text !== null) show(event.text);
        else this.fail(texts.failed);
        message?.item.removeAttribute('aria-busy');
        return true;
      }
      return false;
    },
    fail(text) {
      removeNotice();
      message?.item.removeAttribute('aria-busy');
      addMessage('assistant', text).body.className = 'failed';
    },
  };
}

/** Calls take with each event of a stream, and with its id. */
async function readEvents(body, take) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) {
      const lines = block.split('\n');
      const id = lines.find((line) => line.startsWith('id: '));
      const data = lines.find((line) => line.startsWith('data: '));
      if (data !== undefined) take(JSON.parse(data.slice(6)), id === undefined ? null : id.slice(4));
    }
  }
}

/** Follows a message to its end, also after disconnections and restarts of the service. */
async function follow(id, response) {
  let last = null;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    try {
      const reply = await fetch(config.messages + '/' + id, {
        headers: { authorization: 'Bearer ' + config.token, ...(last === null ? {} : { 'last-event-id': last }) },
        credentials: 'omit',
      });
      if (reply.status === 401 || reply.status === 404) return reply.status === 404 ? 'missing' : 'lost';
      if (reply.ok) {
        status.textContent = texts.thinking;
        let isDone = false;
        await readEvents(reply.body, (event, eventId) => {
          tries = 0;
          if (eventId !== null) last = eventId;
          isDone = response.receive(event) || isDone;
        });
        if (isDone) return 'done';
      }
    } catch {
      // The connection was lost, or the service restarts.
    }
    status.textContent = texts.reconnecting;
    await wait(Math.min(15000, 250 * 2 ** Math.min(tries, 6)));
  }
  return 'lost';
}

/** The same message again starts nothing, so it is sent until the service responds. */
async function post(body) {
  for (let tries = 0; tries < 8; tries++) {
    try {
      const reply = await fetch(config.messages, {
        method: 'POST',
        headers: { authorization: 'Bearer ' + config.token },
        credentials: 'omit',
        body,
      });
      if (reply.ok) return { status: reply.status, ref: (await reply.json()).ref };
      if (reply.status < 500) return { status: reply.status };
    } catch {
      // The connection was lost, or the service restarts.
    }
    status.textContent = texts.reconnecting;
    await wait(250 * 2 ** tries);
  }
  return { status: 503 };
}

/** Keeps the message that has no response yet in the fragment of the URL, which no server receives. */
function remember(message) {
  location.replace('#' + (message === null ? '' : encodeURIComponent(JSON.stringify(message))));
}

function recall() {
  try {
    const { id, text, ref, hasFiles } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
    return typeof id === 'string' && typeof text === 'string' ? { id, text, ref, hasFiles } : null;
  } catch {
    return null;
  }
}

/** Sends a message and shows the response. The URL has it meanwhile, so that a reload continues. */
async function run({ id, text, chosen }, shown) {
  setBusy(true);
  remember({ id, text, hasFiles: chosen.length > 0 });
  const body = new FormData();
  body.append('id', id);
  body.append('text', text);
  for (const file of chosen) body.append('files', file);
  const { status: result, ref } = await post(body);
  if (ref === undefined) {
    shown.item.remove();
    field.value = text;
    remember(null);
    addMessage('assistant', REASONS[result] ?? texts.notSent).body.className = 'failed';
  } else {
    remember({ id, text, ref });
    await finish(id, true);
  }
  setBusy(false);
  field.focus();
}

/** Shows the response to a message, or why there is none. Returns how it ended. */
async function finish(id, isAccepted) {
  const response = createResponse();
  const end = await follow(id, response);
  if (end === 'lost') response.fail(texts.lost);
  else {
    if (end === 'missing' && isAccepted) response.fail(texts.ended);
    remember(null);
  }
  return end;
}

const REASONS = { 401: texts.lost, 429: texts.tooMany };

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const text = field.value.trim();
  const chosen = files === undefined ? [] : [...files.files];
  if (isBusy || (text === '' && chosen.length === 0)) return;
  const size = chosen.reduce((sum, file) => sum + file.size, 0);
  if (chosen.length > config.maxFiles || size > config.maxBytes) {
    addMessage('assistant', texts.tooLarge).body.className = 'failed';
    return;
  }
  field.value = '';
  if (files !== undefined) files.value = '';
  const names = chosen.map(({ name }) => name);
  const shown = addMessage('user', [text, ...names].filter((part) => part !== '').join('\n'));
  const id = unsent !== null && unsent.text === text && chosen.length === 0 ? unsent.id : createId();
  unsent = null;
  void run({ id, text, chosen }, shown);
});
field.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});

for (const { ref, role, text } of config.history) {
  refs.add(ref);
  addMessage(role, text);
}
const open = recall();
if (open !== null && !refs.has(open.ref)) {
  const shown = addMessage('user', open.text);
  const isAccepted = open.ref !== undefined;
  setBusy(true);
  void finish(open.id, isAccepted).then((end) => {
    // A link can contain any text, so only the person sends it.
    if (end === 'missing' && !isAccepted) {
      shown.item.remove();
      field.value = open.text;
      unsent = open.hasFiles ? null : open;
    }
    setBusy(false);
  });
} else if (location.hash !== '') remember(null);
`;
