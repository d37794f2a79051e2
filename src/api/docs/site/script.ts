/** The script of the site: navigation filter and copy buttons. The pages work without it. */
export const script = `'use strict';
(() => {
  const nav = document.getElementById('nav');
  const field = document.getElementById('page-filter');
  field.closest('.filter').hidden = false;
  const readText = (item) => item.querySelector(':scope > a').textContent.toLowerCase();
  const apply = () => {
    const wanted = field.value.trim().toLowerCase();
    nav.classList.toggle('filtering', wanted !== '');
    for (const part of nav.querySelectorAll('.part')) {
      let shown = 0;
      for (const page of part.querySelectorAll(':scope > ul > li')) {
        const whole = readText(page).includes(wanted);
        let inside = 0;
        for (const entry of page.querySelectorAll('.entries > li')) {
          const fits = whole || readText(entry).includes(wanted) || entry.querySelector('a').hash.toLowerCase().includes(wanted);
          entry.hidden = !fits;
          if (fits) inside += 1;
        }
        page.hidden = !(whole || inside > 0);
        if (!page.hidden) shown += 1;
      }
      part.hidden = shown === 0;
    }
  };
  field.addEventListener('input', apply);
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      field.focus();
    }
    if (event.key === 'Escape' && document.activeElement === field) {
      field.value = '';
      apply();
    }
  });
  const current = nav.querySelector('[aria-current]');
  if (current) nav.scrollTop = Math.max(0, current.offsetTop - 160);
  if (!navigator.clipboard) return;
  for (const caption of document.querySelectorAll('.panel figcaption')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      const code = caption.parentElement.querySelector('code').textContent;
      navigator.clipboard.writeText(code).then(() => {
        button.textContent = 'Copied';
        setTimeout(() => { button.textContent = 'Copy'; }, 1500);
      }, () => {});
    });
    caption.append(button);
  }
})();
`;
