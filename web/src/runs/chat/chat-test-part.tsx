import { Bot, SendHorizontal, Square, Trash2, UserRound } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Link } from 'wouter';
import { IconButton } from '../../ui/button.tsx';
import { useStore } from '../../data/store.ts';
import { TextArea } from '../../ui/field.tsx';
import { t } from '../../i18n/index.ts';
import type { ChatTest, ChatTestMessage } from './chat-test.ts';

/** Sends messages to the draft of the workflow, and shows what it responds. */
export function ChatTestPart({
  chat,
  model,
  save,
}: {
  chat: ChatTest;
  model: string;
  save: () => Promise<boolean>;
}) {
  const messages = useStore(chat.messages);
  const [text, setText] = useState('');
  const list = useRef<HTMLOListElement>(null);
  const isWriting = messages.at(-1)?.status === 'writing';
  const last = messages.at(-1);
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [last]);
  const send = (): void => {
    if (isWriting || text.trim() === '') return;
    void chat.send(model, text, save);
    setText('');
  };
  const sendByEnter = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <div className="webhook__part">
      <p className="webhook__head">
        <span className="field__label">{t('Test chat')}</span>
        <span className="grow" />
        {messages.length > 0 && (
          <IconButton
            size="small"
            label={t('Clear the test chat')}
            icon={<Trash2 size={14} />}
            onClick={() => chat.clear()}
          />
        )}
      </p>
      {messages.length > 0 && (
        <ol ref={list} className="chat-test__list" aria-live="polite" tabIndex={0} aria-label={t('Messages')}>
          {messages.map((message) => (
            <MessageRow key={message.id} message={message} />
          ))}
        </ol>
      )}
      <div className="chat-test__entry">
        <TextArea
          rows={2}
          value={text}
          aria-label={t('Message')}
          placeholder={t('Write a message to this workflow…')}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={sendByEnter}
        />
        {isWriting ? (
          <IconButton
            variant="plain"
            label={t('Stop')}
            icon={<Square size={14} />}
            onClick={() => chat.stop()}
          />
        ) : (
          <IconButton
            variant="plain"
            label={t('Send')}
            icon={<SendHorizontal size={14} />}
            disabled={text.trim() === ''}
            onClick={send}
          />
        )}
      </div>
      <p className="field__hint">{t('Runs the draft. Each message starts an execution.')}</p>
    </div>
  );
}

function MessageRow({
  message: { role, text, status, approval, executionId },
}: {
  message: ChatTestMessage;
}) {
  return (
    <li className="conversation__message">
      <span
        className={`conversation__icon${role === 'assistant' ? ' conversation__icon--model' : ''}`}
        aria-hidden="true"
      >
        {role === 'assistant' ? <Bot size={15} /> : <UserRound size={15} />}
      </span>
      <div className="conversation__turn">
        <p className={status === 'failed' ? 'conversation__error' : 'conversation__text'}>
          <span className="visually-hidden">
            {role === 'assistant' ? t('Workflow') : t('Your message')}:{' '}
          </span>
          {text === '' && status === 'writing' ? <span className="faint">{t('Running…')}</span> : text}
        </p>
        {approval !== null && (
          <p className="field__hint">
            {t('Waits for an approval: {{title}}', { title: approval })}{' '}
            <Link to="/inbox">{t('Open the inbox')}</Link>
          </p>
        )}
        {status === 'failed' && executionId !== null && (
          <p className="field__hint">
            <Link to={`/executions/${executionId}`}>{t('Open execution')}</Link>
          </p>
        )}
      </div>
    </li>
  );
}
