/** A value that a field of a form can be compared with. */
type Scalar = string | number | boolean;

/** How a form shows a field of a configuration. Forms show a field that has a value in any case. */
export type UiHints = {
  /** Shows the field only if each of these fields of the same object has one of the values. */
  readonly showWhen?: Readonly<Record<string, Scalar | readonly Scalar[]>>;
  /** Fields with an order come first, in ascending order. */
  readonly order?: number;
  /** The title of a collapsed section that contains the field. */
  readonly group?: string;
  /** Offers the field under "Add option" until it has a value. */
  readonly advanced?: boolean;
  /** Shows the field as required although the schema cannot require it: other fields decide. */
  readonly required?: boolean;
  /** Omits the field while it has no value, or the only value that it accepts. */
  readonly hidden?: boolean;
  /** Replaces the description in the form. An empty string shows none. */
  readonly hint?: string;
  readonly placeholder?: string;
  /** Labels of the options of an enumeration. */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * A special control: a schedule with `cron`, `interval` and `timezone`, the fields of a JSON Schema, a
   * stored secret as `{{ secrets.NAME }}`, or an account, which is a secret in `credentials` or a connection
   * in `connection`.
   */
  readonly control?: 'schedule' | 'json_schema' | 'secret' | 'account';
  /**
   * The service of a pack loads the choices of the field, or its fields if it is an object, and the provider
   * of a model loads its models, with the values of these fields of the configuration.
   */
  readonly loads?: readonly string[];
  /** The pack searches for the choices itself. */
  readonly searches?: boolean;
};

/** The keyword of a JSON Schema that contains the hints. */
export const UI_KEYWORD = 'x-ui';

/** Hints for the form of a field: `Type.String({ title: 'City', ...ui({ order: 1 }) })`. */
export function ui(hints: UiHints): { readonly [UI_KEYWORD]: UiHints } {
  return { [UI_KEYWORD]: hints };
}
