import { Type } from 'typebox';

/** The output ports of a pinned output. */
export const PinPortsSchema = (description?: string) =>
  Type.Array(Type.String(), {
    minItems: 1,
    maxItems: 100,
    ...(description !== undefined && { description }),
  });
