import type { ChatTexts } from '../../contract/chat/chat-texts.ts';

/**
 * The script that shows a chat on another site: a button that opens the page in a frame, or with
 * `data-target` the frame in an element. The id of the conversation is in the storage of that site.
 */
export function createLoader({ open, close }: Pick<ChatTexts, 'open' | 'close'>, title: string): string {
  return `(() => {
const script = document.currentScript;
const { search } = new URL(script.src);
const page = script.src.replace(/\\/embed\\.js.*$/, '');
const texts = ${JSON.stringify({ open, close, title }).replaceAll('<', String.raw`\u003c`)};
const key = 'weft-chat:' + page;
const createId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
let id;
try {
  id = localStorage.getItem(key) ?? createId();
  localStorage.setItem(key, id);
} catch {
  id = createId();
}
const frame = document.createElement('iframe');
frame.title = texts.title;
frame.src = page + '?chat=' + id + search.replace('?', '&');
frame.referrerPolicy = 'no-referrer';
frame.style.border = '0';
frame.style.width = '100%';
frame.style.height = '100%';
const start = () => {
  const target = script.dataset.target === undefined ? null : document.querySelector(script.dataset.target);
  if (target !== null) return void target.append(frame);
  const box = document.createElement('div');
  box.hidden = true;
  Object.assign(box.style, {
    position: 'fixed', right: '20px', bottom: '80px', width: 'min(400px, calc(100vw - 40px))',
    height: 'min(620px, calc(100vh - 120px))', zIndex: '2147483000', border: '1px solid #7d8896',
    borderRadius: '14px', overflow: 'hidden', background: 'Canvas',
  });
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = texts.open;
  button.setAttribute('aria-expanded', 'false');
  Object.assign(button.style, {
    position: 'fixed', right: '20px', bottom: '20px', zIndex: '2147483000', padding: '12px 18px',
    font: '600 16px system-ui, sans-serif', color: '#fff', background: '#4246c6', border: '0',
    borderRadius: '24px', cursor: 'pointer',
  });
  button.addEventListener('click', () => {
    if (!frame.isConnected) box.append(frame);
    box.hidden = !box.hidden;
    button.textContent = box.hidden ? texts.open : texts.close;
    button.setAttribute('aria-expanded', String(!box.hidden));
  });
  document.body.append(box, button);
};
if (document.body === null) addEventListener('DOMContentLoaded', start);
else start();
})();
`;
}
