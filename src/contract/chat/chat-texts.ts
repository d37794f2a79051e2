import { chooseLanguage } from '../../lib/text/accept-language.ts';

/** The texts of chat pages, for the people who write there. */
export type ChatTexts = {
  readonly language: string;
  readonly message: string;
  readonly send: string;
  readonly newChat: string;
  readonly files: string;
  readonly conversation: string;
  readonly you: string;
  readonly assistant: string;
  readonly thinking: string;
  readonly reconnecting: string;
  readonly failed: string;
  readonly notSent: string;
  readonly tooLarge: string;
  readonly tooMany: string;
  readonly asked: string;
  readonly decide: string;
  readonly lost: string;
  readonly ended: string;
  readonly logo: string;
  readonly open: string;
  readonly close: string;
  readonly notFound: readonly [title: string, text: string];
};

const en: ChatTexts = {
  language: 'en',
  message: 'Message',
  send: 'Send',
  newChat: 'New chat',
  files: 'Attach files',
  conversation: 'Conversation',
  you: 'You',
  assistant: 'Assistant',
  thinking: 'Writing…',
  reconnecting: 'The connection was lost. Trying again…',
  failed: 'There was an error. Please try again.',
  notSent: 'The message could not be sent. Please try again.',
  tooLarge: 'The message is too large. Choose smaller files.',
  tooMany: 'Too many messages. Please wait a minute.',
  asked: 'A person is asked to decide. The conversation continues afterwards.',
  decide: 'Open the decision',
  lost: 'The connection could not be restored. Reload the page.',
  ended: 'The response can no longer be shown.',
  logo: 'Logo',
  open: 'Open chat',
  close: 'Close chat',
  notFound: ['This chat is not available', 'The address is wrong, or the chat was closed.'],
};

const de: ChatTexts = {
  language: 'de',
  message: 'Nachricht',
  send: 'Senden',
  newChat: 'Neuer Chat',
  files: 'Dateien anhängen',
  conversation: 'Unterhaltung',
  you: 'Sie',
  assistant: 'Assistent',
  thinking: 'Schreibt …',
  reconnecting: 'Die Verbindung ist abgebrochen. Neuer Versuch …',
  failed: 'Es ist ein Fehler aufgetreten. Bitte versuchen Sie es noch einmal.',
  notSent: 'Die Nachricht konnte nicht gesendet werden. Bitte versuchen Sie es noch einmal.',
  tooLarge: 'Die Nachricht ist zu groß. Wählen Sie kleinere Dateien.',
  tooMany: 'Zu viele Nachrichten. Bitte warten Sie eine Minute.',
  asked: 'Eine Person wird um eine Entscheidung gebeten. Danach geht die Unterhaltung weiter.',
  decide: 'Entscheidung öffnen',
  lost: 'Die Verbindung konnte nicht wiederhergestellt werden. Laden Sie die Seite neu.',
  ended: 'Die Antwort kann nicht mehr angezeigt werden.',
  logo: 'Logo',
  open: 'Chat öffnen',
  close: 'Chat schließen',
  notFound: ['Dieser Chat ist nicht verfügbar', 'Die Adresse ist falsch, oder der Chat wurde geschlossen.'],
};

const ja: ChatTexts = {
  language: 'ja',
  message: 'メッセージ',
  send: '送信',
  newChat: '新しいチャット',
  files: 'ファイルを添付',
  conversation: '会話',
  you: 'あなた',
  assistant: 'アシスタント',
  thinking: '入力中…',
  reconnecting: '接続が切れました。再試行しています…',
  failed: 'エラーが発生しました。もう一度お試しください。',
  notSent: 'メッセージを送信できませんでした。もう一度お試しください。',
  tooLarge: 'メッセージが大きすぎます。小さいファイルを選んでください。',
  tooMany: 'メッセージが多すぎます。1 分ほどお待ちください。',
  asked: '担当者に判断を求めています。その後、会話が続きます。',
  decide: '判断のページを開く',
  lost: '接続を回復できませんでした。ページを再読み込みしてください。',
  ended: '応答はもう表示できません。',
  logo: 'ロゴ',
  open: 'チャットを開く',
  close: 'チャットを閉じる',
  notFound: ['このチャットは利用できません', 'アドレスが正しくないか、チャットが終了しています。'],
};

const catalogs: ReadonlyMap<string, ChatTexts> = new Map([en, de, ja].map((one) => [one.language, one]));

/** The texts in the language that a browser prefers; in English, if none of its languages is available. */
export function chooseChatTexts(acceptLanguage: string | undefined): ChatTexts {
  return catalogs.get(chooseLanguage(acceptLanguage ?? '', [...catalogs.keys()])) ?? en;
}
