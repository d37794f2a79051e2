import { CLI_VARIABLES } from './environment.ts';
import type { Setting } from './setting.ts';
import { settings } from './settings.ts';

/** The reference page of the settings, in Markdown. */
export function formatSettingsReference(): string {
  const lines = Object.entries<Setting<unknown>>(settings).map(([name, { fallback, takes, meaning }]) => {
    const shown = fallback === null ? 'none' : `\`${fallback}\``;
    return `| \`${name}\` | ${shown} | ${takes} | ${meaning} |`;
  });
  return `# Settings

Settings are environment variables, read once on start. An invalid value, or an unknown variable that begins with \`WEFT_\`,
stops the start with one line that names the variable. An empty variable counts as not set. Variables of the
[command](../cli.md) (${CLI_VARIABLES.map((name) => `\`${name}\``).join(', ')}) are ignored.

| variable | default | must be | meaning |
|---|---|---|---|
${lines.join('\n')}

<!-- Generated from src/config/settings.ts; \`npm test -- src/config/config.test.ts -u\` updates it. -->
`;
}
