/** A workflow of about this many nodes: long chains with branches, loops with bodies, and joins. */
export function createLargeWorkflow(count: number): { nodes: object[]; connections: object[] } {
  const nodes: object[] = [
    { id: 'start', type: 'trigger', config: { triggerType: 'manual' }, position: { x: 0, y: 0 } },
  ];
  const connections: object[] = [];
  const columns = 25;
  let previous = 'start';
  for (let i = 1; nodes.length < count; i++) {
    const id = `step_${i}`;
    const position = { x: (i % columns) * 320, y: Math.floor(i / columns) * 220 };
    if (i % 10 === 0 && nodes.length + 3 <= count) {
      nodes.push(
        {
          id,
          type: 'for_each',
          name: `Each of ${i}`,
          position,
          config: { items: '{{ input.rows }}', nodes: [`${id}_a`, `${id}_b`] },
        },
        {
          id: `${id}_a`,
          type: 'http_request',
          name: 'Fetch',
          config: { method: 'GET', url: 'https://example.com/{{ item.id }}' },
        },
        {
          id: `${id}_b`,
          type: 'set',
          name: 'Shorten',
          config: { fields: { total: '{{ input.body.total }}' } },
        },
      );
      // Its body is wide: what is in front of it begins a row of its own.
      i += 2;
    } else if (i % 7 === 0) {
      nodes.push({
        id,
        type: 'condition',
        name: `Is ${i} large?`,
        position,
        config: { condition: { field: 'n', operator: 'greater_than', value: i } },
      });
    } else {
      nodes.push({ id, type: 'set', name: `Prepare ${i}`, position, config: { fields: { n: i } } });
    }
    connections.push({ from: previous, to: id });
    previous = id;
  }
  return { nodes, connections };
}
