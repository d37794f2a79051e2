import { problemPage, type Page } from './pages.ts';

/** What a person can make of an error of the authorization endpoint; what the client's maker needs stands below it. */
const words: Readonly<Record<string, readonly [title: string, text: string]>> = {
  invalid_client: ['Unknown app', 'The app that sent you here is not registered with this Weft.'],
  invalid_redirect_uri: [
    'This link is not right',
    'The app that sent you here asked for an address that is not registered for it. Nothing was sent there.',
  ],
  server_error: ['Something went wrong', 'Weft could not go on. It has been noted.'],
  temporarily_unavailable: ['Too many tries', 'Wait a little before the next one.'],
};

export function errorPage(
  error: { error: string; error_description?: string | undefined },
  requestId: string,
): Page {
  const [title, text] = words[error.error] ?? [
    'This link does not work',
    'What the app sent along cannot be used, or it is too old.',
  ];
  const description = error.error_description === undefined ? '' : `: ${error.error_description}`;
  return problemPage(title, text, `${error.error}${description}${requestId === '' ? '' : ` (${requestId})`}`);
}
