import { markdownTable } from '../lib/text/markdown-table.ts';
import type { FilterGroup } from './filters.ts';
import type { TemplateFunction } from './function.ts';
import * as limits from './limits.ts';

const titles: Record<FilterGroup['kind'], string> = {
  text: 'Text',
  list: 'Lists',
  number: 'Numbers',
  date: 'Dates',
  object: 'Objects',
  encoding: 'Encoding',
};

const scope = [
  ['`input`', 'what arrived at the node'],
  ['`trigger`', 'what started the execution: what the trigger delivered, and `type`, `node_id` and `input`'],
  [
    '`nodes.<id>`',
    'the output of a node that ended before; of one that failed into its `error` port, the error',
  ],
  ['`secrets.<NAME>`', 'a stored secret; only in nodes with external effects'],
  ['`execution.id`', "the execution's id"],
  ['`workflow.id`, `workflow.version`', "the workflow's id, and the version that runs"],
  ['`value`', 'in a `transform`: the value at its `input`'],
  ['any other name', 'is looked up in `input`: `{{ email }}` means `{{ input.email }}`'],
];

/** The page of the template language in Markdown, from the table that the compiler uses. */
export function templateReference(groups: readonly FilterGroup[]): string {
  return [
    '# Templates',
    '',
    'Generated from `src/expressions/filters.ts`; a test holds it fresh. Every example below is run as a test.',
    '',
    'A text in a configuration may hold `{{ expression }}`, and filters behind it: `{{ expression | filter: argument, argument | filter }}`. The expression is [CEL](https://cel.dev): paths (`input.customer.name`, `input.items[0]`, `input["odd name"]`), the operators `+ - * / %`, `== != < <= > >=`, `&& || !`, `? :` and `in`, `has(…)`, and the list macros `filter`, `map`, `all`, `exists` and `exists_one`. A filter is a function in another spelling: `x | join: ", "`, `join(x, ", ")` and `x.join(", ")` are the same call.',
    '',
    '- A value that is one placeholder alone keeps its type. Inside other text it is printed: a text as it is, nothing for null, lists and objects as JSON.',
    '- A path that leads nowhere is an error that names it, unless `has` or the `default` filter takes care of it.',
    '- Numbers are the numbers of JSON, whatever the form of a literal.',
    '- A template is compiled when its workflow is saved, and a wrong one is a fault then. It is never code: own properties only, no calls but those below, one pass over the text. What comes out is never read as a template again.',
    '',
    '## Names',
    '',
    ...markdownTable(['name', 'stands for'], scope),
    '',
    ...groups.flatMap(groupLines),
    '## Limits',
    '',
    ...markdownTable(
      ['what', 'at most'],
      [
        ['characters of a template', number(limits.MAX_TEMPLATE_LENGTH)],
        ['placeholders of a template', number(limits.MAX_PLACEHOLDERS)],
        ['parts of an expression (names, literals, operators, calls)', number(limits.MAX_EXPRESSION_PARTS)],
        ['levels of an expression', number(limits.MAX_EXPRESSION_DEPTH)],
        ['filters behind an expression', number(limits.MAX_FILTERS)],
        ['steps of an evaluation', number(limits.MAX_STEPS)],
        ['characters that a template prints', number(limits.MAX_PRINTED_LENGTH)],
        [
          'size of a value that an expression makes, in characters of its JSON',
          number(limits.MAX_VALUE_LENGTH),
        ],
        ['levels of a value that `parse_json` gives', number(limits.MAX_VALUE_DEPTH)],
      ],
    ),
    '',
  ].join('\n');
}

function groupLines({ kind, functions }: FilterGroup): string[] {
  return [
    `## ${titles[kind]}`,
    '',
    ...markdownTable(['filter', 'gives', 'example', 'result'], functions.map(row)),
    '',
  ];
}

function row({ usage, description, example }: TemplateFunction): string[] {
  const input = example.input === undefined ? '' : ` with \`${JSON.stringify(example.input)}\``;
  return [
    `\`${usage}\``,
    description,
    `\`${example.template}\`${input}`,
    `\`${JSON.stringify(example.result)}\``,
  ];
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
