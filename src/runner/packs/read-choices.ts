import type { LoadedPackChoices, PackChoice } from '../../contract/packs/pack-choices.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import { readProperties, readText } from './read-properties.ts';

const MAX_LABEL_LENGTH = 500;
const MAX_PLACEHOLDER_LENGTH = 500;
/** Characters of the value of an option, as JSON. */
const MAX_VALUE_LENGTH = 10_000;

/** Reads what the process of a pack loaded, which may be anything. A text: why it cannot be used. */
export function readChoices(value: Json): LoadedPackChoices | string {
  if (!isObject(value)) return 'has an unknown form';
  if (value['kind'] === 'fields') {
    // Fields that cannot be used are left out; the form shows the others.
    return { kind: 'fields', properties: readProperties(value['properties'], 'the loaded fields', () => {}) };
  }
  const given = value['options'];
  if (value['kind'] !== 'options' || !Array.isArray(given)) return 'has an unknown form';
  const options = new Map<string, PackChoice>();
  for (const [i, one] of given.entries()) {
    const option = readOption(one);
    if (typeof option === 'string') return `contains a choice that cannot be used: number ${i + 1} ${option}`;
    const key = JSON.stringify(option.value);
    if (!options.has(key)) options.set(key, option);
  }
  return {
    kind: 'options',
    isDisabled: value['isDisabled'] === true,
    placeholder: readText(value['placeholder'], MAX_PLACEHOLDER_LENGTH) || null,
    options: [...options.values()],
  };
}

function readOption(one: Json): PackChoice | string {
  if (!isObject(one)) return 'is not an object';
  const { value, label } = one;
  if (value === undefined || value === null) return 'has no value';
  const text = JSON.stringify(value);
  if (text.length > MAX_VALUE_LENGTH) return `has a value of more than ${MAX_VALUE_LENGTH} characters`;
  const shown = typeof label === 'number' ? String(label) : label;
  return { label: readText(shown, MAX_LABEL_LENGTH) || (typeof value === 'string' ? value : text), value };
}
