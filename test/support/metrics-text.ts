export type Sample = { name: string; labels: Record<string, string>; value: number };

/**
 * Parses the text format of Prometheus strictly. Throws at the first invalid line and at a duplicate sample.
 */
export function parseExposition(text: string): Sample[] {
  const types = new Map<string, string>();
  const seen = new Set<string>();
  const samples: Sample[] = [];
  if (!text.endsWith('\n')) throw new Error('The text does not end with a line feed.');
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const type = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram|summary|untyped)$/.exec(line);
    if (type !== null) {
      if (types.has(type[1]!)) throw new Error(`A type twice: ${line}`);
      types.set(type[1]!, type[2]!);
      continue;
    }
    if (/^# HELP [a-zA-Z_:][\w:]* \S/.test(line)) continue;
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (-?[\d.]+(?:e[+-]?\d+)?|\+Inf|-Inf|NaN|Nan)$/i.exec(line);
    if (match === null) throw new Error(`No sample: ${line}`);
    const [, name = '', inner = '', value = ''] = match;
    if (!types.has(name) && !types.has(name.replace(/_(bucket|sum|count)$/, '')))
      throw new Error(`A sample without a type: ${line}`);
    const labels: Record<string, string> = {};
    let rest = inner;
    while (rest !== '') {
      const label = /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/.exec(rest);
      if (label === null) throw new Error(`No label: ${line}`);
      labels[label[1]!] = label[2]!;
      rest = rest.slice(label[0].length);
    }
    const key = line.slice(0, line.lastIndexOf(' '));
    if (seen.has(key)) throw new Error(`A sample twice: ${line}`);
    seen.add(key);
    samples.push({ name, labels, value: Number(value.replace('Inf', 'Infinity')) });
  }
  return samples;
}

/** The value of the sample with this name and these labels; undefined when there is none. */
export function findValue(
  samples: readonly Sample[],
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  return samples.find(
    (one) =>
      one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  )?.value;
}
