import { Type } from 'typebox';

/** `from` is inclusive and `to` exclusive: ISO 8601, compared with the time of creation. */
export const StatisticsQuerySchema = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          'The start of the first interval, rounded down to a full hour or day: ISO 8601. Default: 24 hours or 30 days before `to`.',
      }),
    ),
    to: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'The end of the last interval, rounded up: ISO 8601. Default: now.',
      }),
    ),
    interval: Type.Optional(
      Type.Enum(['hour', 'day'], {
        default: 'hour',
        description:
          'The length of an interval. Days begin at midnight UTC. Hours are available for the last 30 days. Default: `hour`.',
      }),
    ),
  },
  { additionalProperties: false },
);
