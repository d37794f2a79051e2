import { createContext, useContext, type ComponentType } from 'react';
import type { ConnectionPreset } from '../../credentials/connection-preset.ts';
import type { Inserter } from '../data/inserter.ts';
import type { ChoiceSource } from '../loaded/choice-source.ts';
import type { Field } from '../model/field.ts';
import type { FieldPath } from '../model/field-path.ts';
import type { TemplateScope } from '../model/template-scope.ts';

/** Something that can be chosen by what people call it. */
export type Choice = { readonly value: string; readonly label: string };

/** One field of an object, drawn by what its schema says. */
export type FieldProps = { readonly field: Field; readonly fieldPath: FieldPath; readonly value: unknown };

/** What every field of a configuration needs to know. */
export type FormContext = {
  readonly nodeId: string;
  /** What templates see here. */
  readonly scope: TemplateScope;
  /** The execution whose data previews use; null if the workflow has not run. */
  readonly executionId: string | null;
  /** Identifies the data of the scope: the path of the chosen run, and the pinned outputs. */
  readonly dataKey: readonly unknown[];
  /** Receives the fields that paths can be inserted into. */
  readonly inserter: Inserter;
  /** What is wrong, by the name of the field as the service has it. */
  readonly errors: ReadonlyMap<string, string>;
  readonly nodes: readonly Choice[];
  /** Fields whose templates may read secrets. */
  readonly secretFields: readonly string[];
  /** Patterns of the fields in which templates are not evaluated. */
  readonly literalFields: readonly string[];
  readonly workflows: readonly Choice[];
  /** The host that the node sends requests to; null where it is not known. */
  readonly requestHost: string | null;
  /** The host of the service that the node calls; null where it is not known. */
  readonly serviceHost: string | null;
  /** What is known about a connection that is created here; null: nothing but the host. */
  readonly connectionPreset: ConnectionPreset | null;
  /** Where the choices of fields are loaded; null: the node loads none. */
  readonly choiceSource: ChoiceSource | null;
  /** Draws a field: fields hold fields, so what draws them comes from above. */
  readonly Row: ComponentType<FieldProps>;
  /** `undefined` removes the entry. Consecutive changes of one path are undone together. */
  readonly change: (fieldPath: FieldPath, value: unknown) => void;
};

const Context = createContext<FormContext | null>(null);
export const FormProvider = Context.Provider;

export function useForm(): FormContext {
  const context = useContext(Context);
  if (context === null) throw new Error('A field of a configuration stands outside of its form.');
  return context;
}

/** What every control gets. */
export type ControlProps<T = unknown> = {
  readonly fieldPath: FieldPath;
  readonly value: T | undefined;
  /** Ties it to its label. */
  readonly id: string;
  readonly describedBy?: string | undefined;
  readonly isInvalid: boolean;
  /** It has to be there: an empty text stays one, where elsewhere it takes the field away. */
  readonly isRequired: boolean;
  /** What counts when nothing is given. */
  readonly fallback?: unknown;
  readonly placeholder?: string | undefined;
  /** Labels of options by value. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
};
