import { Type } from 'typebox';

/** Tokens, in the output of nodes that call models. */
export const usageField = Type.Object({
  input_tokens: Type.Integer(),
  cached_input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  reasoning_tokens: Type.Integer(),
});

/** The cost of all calls, in the output of nodes that call models. */
export const costField = Type.Union([Type.Number(), Type.Null()], {
  description: 'US dollars; null if the model has no price.',
});
