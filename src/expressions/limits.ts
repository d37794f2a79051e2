/** Characters of a template. */
export const MAX_TEMPLATE_LENGTH = 65_536;
/** Placeholders of one template. */
export const MAX_PLACEHOLDERS = 1000;
/** Parts (names, literals, operators, calls) of one expression. */
export const MAX_EXPRESSION_PARTS = 2000;
/** Nesting depth of an expression; a chain such as `a + b + c` nests by one per operator. */
export const MAX_EXPRESSION_DEPTH = 200;
/** Filters of one placeholder. */
export const MAX_FILTERS = 50;
/**
 * Steps of one evaluation: parts evaluated in loops, and elements or blocks of text that functions process.
 */
export const MAX_STEPS = 2_000_000;
/** Characters of the text that a template prints. */
export const MAX_PRINTED_LENGTH = 1_048_576;
/**
 * Size of a value that an expression creates: characters of a text, or approximately of the JSON of a list or
 * object.
 */
export const MAX_VALUE_LENGTH = 16_777_216;
/** Nesting depth of a value that is parsed from a text. */
export const MAX_VALUE_DEPTH = 200;
