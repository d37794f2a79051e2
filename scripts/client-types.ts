import type { TSchema } from 'typebox';

/*
 * JSON Schema (from TypeBox) → TypeScript, for the client. A schema with a title becomes a named type,
 * printed once. All other schemas are inlined.
 */

export type Schema = TSchema & {
  title?: string;
  description?: string;
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  format?: string;
};

/** Whether the type is of a request (a field may be `undefined`) or of a response. */
export type Direction = 'input' | 'output';

/** Collects the named types of a file. */
export function createTypePrinter() {
  const named = new Map<string, { schema: string; text: string }>();
  const pending: { name: string; schema: Schema; direction: Direction }[] = [];

  /** Requests a type with this name, which `print` prints. */
  function declare(name: string, schema: Schema, direction: Direction): string {
    const same = JSON.stringify(schema);
    const known = named.get(name);
    if (known !== undefined && known.schema !== same)
      throw new Error(`Two different schemas have the title ${name}.`);
    if (known === undefined) {
      named.set(name, { schema: same, text: '' });
      pending.push({ name, schema, direction });
    }
    return name;
  }

  function printType(schema: Schema, direction: Direction, indent: string): string {
    return schema.title === undefined
      ? inline(schema, direction, indent)
      : declare(schema.title, schema, direction);
  }

  function inline(schema: Schema, direction: Direction, indent: string): string {
    if (schema.const !== undefined) return literal(schema.const);
    if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
    if (schema.anyOf !== undefined) {
      const parts = schema.anyOf.map((one) => printType(one, direction, indent));
      return [...new Set(parts)].join(' | ');
    }
    switch (schema.type) {
      case 'string':
        return 'string';
      case 'integer':
      case 'number':
        return 'number';
      case 'boolean':
        return 'boolean';
      case 'null':
        return 'null';
      case 'array':
        return printArrayType(
          schema.items === undefined ? 'unknown' : printType(schema.items, direction, indent),
        );
      case 'object':
        return objectType(schema, direction, indent);
      default:
        return 'unknown';
    }
  }

  function objectType(schema: Schema, direction: Direction, indent: string): string {
    if (schema.properties === undefined) {
      const values = Object.values(schema.patternProperties ?? {})[0];
      return `Record<string, ${values === undefined ? 'unknown' : printType(values, direction, indent)}>`;
    }
    const inner = `${indent}  `;
    const lines = Object.entries(schema.properties).map(([name, field]) => {
      const isRequired = schema.required?.includes(name) === true;
      const type = printType(field, direction, inner);
      const isLoose = !isRequired && direction === 'input' && type !== 'unknown';
      const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
      return `${printDocComment(formatNote(field), inner)}${inner}${key}${isRequired ? '' : '?'}: ${type}${isLoose ? ' | undefined' : ''};\n`;
    });
    const more = schema.additionalProperties === true ? `${inner}[name: string]: unknown;\n` : '';
    return lines.length === 0 && more === ''
      ? 'Record<string, never>'
      : `{\n${lines.join('')}${more}${indent}}`;
  }

  return {
    declare,
    printType: (schema: Schema, direction: Direction) => printType(schema, direction, ''),
    /** All requested types, in alphabetical order. */
    print(): string {
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
        const { name, schema, direction } = next;
        named.get(name)!.text =
          `${printDocComment(schema.description, '')}export type ${name} = ${inline(schema, direction, '')};\n`;
      }
      return [...named.keys()]
        .sort()
        .map((name) => named.get(name)!.text)
        .join('\n');
    },
  };
}

/** A doc comment, or an empty string. Keeps the lines of the text. */
export function printDocComment(text: string | undefined, indent: string): string {
  if (text === undefined || text === '') return '';
  const lines = text.replaceAll('*/', '* /').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}

function formatNote(schema: Schema): string | undefined {
  if (schema.title !== undefined) return undefined;
  if (schema.description !== undefined) return schema.description;
  const inner = schema.anyOf?.find((one) => one.title === undefined && one.description !== undefined);
  if (inner !== undefined) return inner.description;
  return schema.format === 'date-time' ? 'ISO 8601, UTC.' : undefined;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);
}

function printArrayType(type: string): string {
  return /^[\w$]+$/.test(type) ? `${type}[]` : `(${type})[]`;
}
