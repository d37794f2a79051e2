// A classic script in the head that applies the chosen theme before the first paint. It imports nothing.
try {
  const chosen = localStorage.getItem('weft.theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen;
} catch {
  // Without storage the system's theme applies.
}
