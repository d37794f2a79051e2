import { useEffect } from 'react';

/**
 * Replaces the package `react-style-singleton` (scripts/build-web.mjs) with a constructed style sheet,
 * because the content security policy forbids <style> elements.
 */

export function stylesheetSingleton() {
  let users = 0;
  let sheet: CSSStyleSheet | null = null;
  return {
    add(style: string): void {
      if (users++ > 0) return;
      sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
      document.adoptedStyleSheets.push(sheet);
    },
    remove(): void {
      if (--users > 0 || sheet === null) return;
      const gone = sheet;
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== gone);
      sheet = null;
    },
  };
}

export function styleHookSingleton() {
  const singleton = stylesheetSingleton();
  return (styles: string): void => {
    useEffect(() => {
      singleton.add(styles);
      return () => singleton.remove();
    }, [styles]);
  };
}

export function styleSingleton() {
  const useStyle = styleHookSingleton();
  return ({ styles }: { styles: string }): null => {
    useStyle(styles);
    return null;
  };
}
