import './styles/main.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { language, loadLanguage } from './i18n/index.ts';

// Only `npm run dev` builds with this value.
if (process.env.NODE_ENV === 'development') void import('./dev-reload.ts');

async function start(): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) throw new Error('index.html has no root element.');
  document.documentElement.lang = language;
  await loadLanguage();
  // The modules of the app have translated constants, so they are evaluated after the language is loaded.
  const { App } = await import('./app/app.tsx');
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

void start();
