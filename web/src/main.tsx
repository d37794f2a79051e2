import './styles/main.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';

// Only `npm run dev` builds with this value.
if (process.env.NODE_ENV === 'development') void import('./dev-reload.ts');

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no place for the page.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
