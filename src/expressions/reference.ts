import { formatMarkdownTable } from '../lib/text/markdown-table.ts';
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
  ['`input`', 'the input of the node'],
  ['`trigger`', 'the trigger of the execution: its output, and `type`, `node_id` and `input`'],
  [
    '`nodes.<id>`',
    'the output of a completed node, or the error of a node that failed into its `error` port',
  ],
  ['`secrets.<NAME>`', 'a stored secret; only in nodes with external effects'],
  ['`execution.id`', "the execution's id"],
  ['`workflow.id`, `workflow.version`', "the workflow's id, and the version that runs"],
  ['`value`', 'in a `transform`: the value at its `input`'],
  ['any other name', 'is looked up in `input`: `{{ email }}` means `{{ input.email }}`'],
];

/** The page of the template language in Markdown, from the table that the compiler uses. */
export function formatTemplateReference(groups: readonly FilterGroup[]): string {
  return [
    '# Templates',
    '',
    'Generated from `src/expressions/filters.ts`; a test keeps it up to date. Every example below is run as a test.',
    '',
    'A text in a configuration may contain `{{ expression }}`, optionally followed by filters: `{{ expression | filter: argument, argument | filter }}`. The expression is [CEL](https://cel.dev): paths (`input.customer.name`, `input.items[0]`, `input["odd name"]`), the operators `+ - * / %`, `== != < <= > >=`, `&& || !`, `? :` and `in`, `has(…)`, and the list macros `filter`, `map`, `all`, `exists` and `exists_one`. A filter is another syntax for a function call: `x | join: ", "`, `join(x, ", ")` and `x.join(", ")` are the same call.',
    '',
    '- A value that consists of a single placeholder keeps its type. Inside other text it is printed: texts unchanged, null as nothing, lists and objects as JSON.',
    '- A missing path is an error that names it, unless `has` or the `default` filter handles it.',
    '- All numbers are JSON numbers, regardless of how a literal is written.',
    '- Templates are compiled when the workflow is saved; an invalid template is rejected then. They are not code: only own properties and the calls below, in one pass over the text. The result is never parsed as a template again.',
    '',
    '## Names',
    '',
    ...formatMarkdownTable(['name', 'stands for'], scope),
    '',
    ...groups.flatMap(groupLines),
    '## Limits',
    '',
    ...formatMarkdownTable(
      ['what', 'at most'],
      [
        ['characters of a template', number(limits.MAX_TEMPLATE_LENGTH)],
        ['placeholders of a template', number(limits.MAX_PLACEHOLDERS)],
        ['parts of an expression (names, literals, operators, calls)', number(limits.MAX_EXPRESSION_PARTS)],
        ['nesting depth of an expression', number(limits.MAX_EXPRESSION_DEPTH)],
        ['filters of a placeholder', number(limits.MAX_FILTERS)],
        ['steps of an evaluation', number(limits.MAX_STEPS)],
        ['characters of the printed text', number(limits.MAX_PRINTED_LENGTH)],
        [
          'size of a value that an expression creates, in characters of its JSON',
          number(limits.MAX_VALUE_LENGTH),
        ],
        ['nesting depth of a value that `parse_json` returns', number(limits.MAX_VALUE_DEPTH)],
      ],
    ),
    '',
  ].join('\n');
}

function groupLines({ kind, functions }: FilterGroup): string[] {
  return [
    `## ${titles[kind]}`,
    '',
    ...formatMarkdownTable(['filter', 'gives', 'example', 'result'], functions.map(row)),
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
