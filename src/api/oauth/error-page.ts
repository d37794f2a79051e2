import { renderProblemPage, type Page } from './pages.ts';

/**
 * Titles and texts of the errors of the authorization endpoint. Details for the developer of the client are
 * shown below.
 */
const messages: Readonly<Record<string, readonly [title: string, text: string]>> = {
  invalid_client: ['Unknown app', 'The app that sent you here is not registered with this Weft.'],
  invalid_client_metadata: [
    'Unknown app',
    'Weft could not read the description of the app that sent you here, or it is not valid. Try again later.',
  ],
  invalid_redirect_uri: [
    'This link is not valid',
    'The app that sent you here uses a redirect URL that is not registered. Nothing was sent to it.',
  ],
  server_error: ['Something went wrong', 'Weft could not continue. The error has been logged.'],
  temporarily_unavailable: ['Too many attempts', 'Wait a moment before you try again.'],
};

export function renderErrorPage(
  error: { error: string; error_description?: string | undefined },
  requestId: string,
): Page {
  const [title, text] = messages[error.error] ?? [
    'This link is not valid',
    'The request of the app is not valid or has expired.',
  ];
  const description = error.error_description === undefined ? '' : `: ${error.error_description}`;
  return renderProblemPage(
    title,
    text,
    `${error.error}${description}${requestId === '' ? '' : ` (${requestId})`}`,
  );
}
