import { createContext, useContext, type ComponentType } from 'react';
import type { ConnectionPreset } from '../../credentials/connection-preset.ts';
import type { Inserter } from '../data/inserter.ts';
import type { ChoiceSource } from '../loaded/choice-source.ts';
import type { Field } from '../model/field.ts';
import type { FieldPath } from '../model/field-path.ts';
import type { TemplateScope } from '../model/template-scope.ts';

/** A choice with a label. */
export type Choice = { readonly value: string; readonly label: string };

/** The props of a field, which is rendered by its schema. */
export type FieldProps = { readonly field: Field; readonly fieldPath: FieldPath; readonly value: unknown };

/** The context of all fields of a configuration. */
export type FormContext = {
  readonly nodeId: string;
  /** The values that templates can read. */
  readonly scope: TemplateScope;
  /** The execution whose data previews use; null if the workflow has not run. */
  readonly executionId: string | null;
  /** Identifies the data of the scope: the path of the chosen run, and the pinned outputs. */
  readonly dataKey: readonly unknown[];
  /** Receives the fields that paths can be inserted into. */
  readonly inserter: Inserter;
  /** The errors by field name in the service's notation. */
  readonly errors: ReadonlyMap<string, string>;
  readonly nodes: readonly Choice[];
  /** Fields whose templates may read secrets. */
  readonly secretFields: readonly string[];
  /** Patterns of the fields in which templates are not evaluated. */
  readonly literalFields: readonly string[];
  readonly workflows: readonly Choice[];
  /** The host that the node sends requests to; null if unknown. */
  readonly requestHost: string | null;
  /** The host of the service that the node calls; null if unknown. */
  readonly serviceHost: string | null;
  /** The presets of a connection that is created here; null: only the host. */
  readonly connectionPreset: ConnectionPreset | null;
  /** Where the choices of fields are loaded; null: the node loads none. */
  readonly choiceSource: ChoiceSource | null;
  /** Renders a field. Passed by context, because fields contain fields. */
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

/** The props of every control. */
export type ControlProps<T = unknown> = {
  readonly fieldPath: FieldPath;
  readonly value: T | undefined;
  /** The id that its label refers to. */
  readonly id: string;
  readonly describedBy?: string | undefined;
  readonly isInvalid: boolean;
  /** Required: an empty text is kept, while in an optional field it removes the value. */
  readonly isRequired: boolean;
  /** The default value. */
  readonly fallback?: unknown;
  readonly placeholder?: string | undefined;
  /** Labels of options by value. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
};
