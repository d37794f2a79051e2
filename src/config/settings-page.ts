import { ofTheCommand } from './environment.ts';
import type { Setting } from './setting.ts';
import { settings } from './settings.ts';

/** The reference page of the settings, in Markdown. */
export function settingsPage(): string {
  const lines = Object.entries<Setting<unknown>>(settings).map(([name, { fallback, takes, meaning }]) => {
    const shown = fallback === null ? 'none' : `\`${fallback}\``;
    return `| \`${name}\` | ${shown} | ${takes} | ${meaning} |`;
  });
  return `# Settings

Settings are environment variables, read once at the start. A wrong one, and a variable that begins with \`WEFT_\` and is no
setting, stops the start with one line that names it. An empty variable is as if it were not set. What the
[command](../cli.md) reads (${ofTheCommand.map((name) => `\`${name}\``).join(', ')}) is let through.

| variable | default | takes | meaning |
|---|---|---|---|
${lines.join('\n')}

<!-- Printed from src/config/settings.ts; \`npx vitest run src/config/config.test.ts -u\` writes it anew. -->
`;
}
