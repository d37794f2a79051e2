/** The longest template, in characters. */
export const MAX_TEMPLATE_LENGTH = 65_536;
/** The most placeholders in one template. */
export const MAX_PLACEHOLDERS = 1000;
/** The most parts (names, literals, operators, calls) of one expression. */
export const MAX_EXPRESSION_PARTS = 2000;
/** How deep an expression may nest; a chain such as `a + b + c` nests by one for each operator. */
export const MAX_EXPRESSION_DEPTH = 200;
/** The most filters behind one expression. */
export const MAX_FILTERS = 50;
/** The most steps of one evaluation: parts evaluated within loops, and elements or blocks of text that functions pass over. */
export const MAX_STEPS = 2_000_000;
/** The longest text that a template prints, in characters. */
export const MAX_PRINTED_LENGTH = 1_048_576;
/** The largest value that an expression makes: characters of a text, or roughly of the JSON of a list or an object. */
export const MAX_VALUE_LENGTH = 16_777_216;
/** How deep lists and objects may nest in a value that a text is parsed to. */
export const MAX_VALUE_DEPTH = 200;
