import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../lib/json/json.ts';
import { limit } from './limit.node.ts';
import { runToError, runToOutput } from '../../../../test/support/run-data-node.ts';

describe('limit', () => {
  it.each([
    [{ count: 0 }, []],
    [{ count: 2 }, [1, 2]],
    [{ count: 9 }, [1, 2, 3, 4, 5]],
    [{ count: 2, offset: 4 }, [5]],
    [{ count: 2, offset: 9 }, []],
    [{ count: 2, from: 'end' }, [4, 5]],
    [{ count: 2, from: 'end', offset: 1 }, [3, 4]],
    [{ count: 9, from: 'end', offset: 4 }, [1]],
    [{ count: 2, from: 'end', offset: 9 }, []],
    [{ count: 1, items: '[0]' }, 'not a list'],
  ])('%j', async (config, output) => {
    if (output === 'not a list')
      expect(await runToError(limit, config as JsonObject, [1])).toMatchObject({ field: 'items' });
    else expect(await runToOutput(limit, config as JsonObject, [1, 2, 3, 4, 5])).toEqual(output);
  });

  it.each([
    [{}, 'count'],
    [{ count: -1 }, 'count'],
    [{ count: 1.5 }, 'count'],
    [{ count: '{{ input.n }}', items: 'rows' }, 'count'],
    [{ count: 1, from: 'middle' }, 'from'],
    [{ count: 1, unknown: 1 }, 'unknown'],
    [{ count: 1, items: 'n' }, 'items'],
  ])('names the field of %j', async (config, field) => {
    expect(await runToError(limit, config as JsonObject, { n: 'NaN', rows: [] })).toMatchObject({
      type: 'validation',
      field,
    });
  });
});
