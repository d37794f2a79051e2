import { Markup } from './markup.ts';

/** The logo of the pages that the service renders: that of the editor (web/src/app/brand.tsx). */
export const logo = new Markup(
  '<svg viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" stroke-width="2.25" stroke-linecap="round" aria-hidden="true"><path d="M6 3v18M12 3v6M12 15v6M18 3v18"/><path class="weft" d="M2 12h1.2M8.8 12h6.4M20.8 12H22" stroke-width="2.75"/></svg>',
);
