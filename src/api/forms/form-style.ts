import type { Form, FormField } from '../../contract/forms/form.ts';
import { formatControlId, formatOptionId } from './ids.ts';

/** Relative luminance above which black text has more contrast than white text (WCAG 2.2). */
const LIGHT_LUMINANCE = 0.179;

const BASE = `
main{max-width:600px}
.brand img{max-height:40px;max-width:200px}
.hint{margin:-2px 0 6px;font-size:14px;color:var(--soft);white-space:pre-wrap;overflow-wrap:anywhere}
.optional{font-weight:400;color:var(--soft)}
.field,fieldset.field{margin:0 0 20px}
.field legend{padding:0}
.field .label,.field legend{display:block;margin:0 0 6px;font-size:14px;font-weight:560;overflow-wrap:anywhere}
.field input:not([type=radio]):not([type=checkbox]),.field select{width:100%;min-height:44px;padding:8px 12px;font:inherit;color:inherit;background:var(--field);border:1px solid var(--edge);border-radius:9px}
.field textarea{border-color:var(--edge)}
.field input[type=file]{padding:9px 12px}
:root{--edge:#7d8896}
@media(prefers-color-scheme:dark){:root{--edge:#7a8796}}
.field select:focus-visible,.field input:focus-visible,a:focus-visible{outline:3px solid color-mix(in srgb,var(--accent) 40%,transparent);outline-offset:1px}
.field [aria-invalid=true]{--edge:var(--bad)}
.pick{display:flex;gap:10px;align-items:flex-start;padding:7px 0;font-weight:400}
.pick input{flex:none;width:20px;height:20px;margin:2px 0 0;accent-color:var(--accent)}
.pick span{overflow-wrap:anywhere}
.error{margin:6px 0 0;font-size:14px;color:var(--bad)}
.summary{margin:0 0 20px;padding:14px 16px;border:2px solid var(--bad);border-radius:10px}
.summary h2{margin:0 0 6px;font-size:17px}
.summary ul{margin:0;padding:0 0 0 20px}
.summary a{color:var(--bad)}
.step{margin:0 0 4px;font-size:14px;color:var(--soft)}
h2{margin:0 0 6px;font-size:18px}
`;

/** The styles of a form: its color, and which fields the choices on the page show, without scripts. */
export function renderFormStyle(form: Form): string {
  const { colour } = form.brand;
  return BASE + (colour === null ? '' : renderBrandStyle(colour)) + conditionStyle(form);
}

/**
 * Hides conditional fields until their condition is met on the page. A browser without `:has()` shows them
 * all, and the service ignores the values of those that are not met.
 */
function conditionStyle(form: Form): string {
  const rules = form.pages.flatMap(({ fields }) =>
    fields.flatMap((field) =>
      unmetConditions(field, fields).map(
        (unmet) => `form${unmet} #${formatControlId(field)}-row{display:none}`,
      ),
    ),
  );
  return rules.length === 0 ? '' : `@supports selector(:has(a)){${rules.join('')}}`;
}

/** For each condition of a field and its dependencies, the state of the form in which it is not met. */
function unmetConditions({ showWhen }: FormField, fields: readonly FormField[]): string[] {
  const source = fields.find(({ name }) => name === showWhen?.field);
  // The service decides on conditions of an earlier page.
  if (showWhen === null || source === undefined) return [];
  const chosen =
    source.type === 'consent'
      ? formatControlId(source)
      : formatOptionId(source, source.options.indexOf(String(showWhen.equals)));
  const isChosen = `:has(#${chosen}:checked)`;
  return [showWhen.equals === false ? isChosen : `:not(${isChosen})`, ...unmetConditions(source, fields)];
}

export function renderBrandStyle(colour: string): string {
  const ink = luminance(colour) > LIGHT_LUMINANCE ? '#000' : '#fff';
  return `button.main,button.main:hover{background:${colour};color:${ink}}`;
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
