/**
 * The texts and numbers in the values of an execution, from the events of one row of its journal: its input,
 * and the outputs and responses of its nodes. Values of 256 KiB or more are in files and are left out.
 */
export function* listTexts(events: string): Generator<string> {
  for (const event of JSON.parse(events) as unknown[])
    for (const value of listValues(event)) yield* walkTexts(value);
}

function listValues(event: unknown): unknown[] {
  const stored = (name: string): unknown => at(at(event, name), 'v');
  return [
    stored('input'),
    at(event, 'given'),
    at(at(event, 'inputOf'), 'input'),
    stored('o'),
    at(at(event, 'respond'), 'body'),
    at(at(event, 'stop'), 'output'),
  ];
}

function at(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Without the names of fields. Iterative, so that depth uses no stack. */
function* walkTexts(value: unknown): Generator<string> {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one === 'string') yield one;
    else if (typeof one === 'number') yield String(one);
    else if (typeof one === 'object' && one !== null)
      for (const inner of Object.values(one) as unknown[]) open.push(inner);
  }
}
