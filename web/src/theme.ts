// A classic script in the head that applies the chosen theme before the first paint. It imports nothing.
try {
  const stored = localStorage.getItem('weft.theme');
  if (stored === 'light' || stored === 'dark') document.documentElement.dataset['theme'] = stored;
} catch {
  // Without storage the system's theme applies.
}
