import { createActionContext, toActionAuth } from './action-context.ts';
import type { PackInput, PackRequest } from './pack-messages.ts';
import { listProps, toItem, type Item, type Piece } from './piece.ts';

/* In the process of a pack: loads what a property accepts. */

type Request = PackRequest & { kind: 'choices' };
type Load = (values: unknown, context: unknown) => unknown;

/** Returns what the functions of the property returned, without functions. The service validates it. */
export async function loadChoices(
  piece: Piece,
  { operation, of, property, search, maxOptions }: Request,
  { auth, props }: Pick<PackInput, 'auth' | 'props'>,
): Promise<Item> {
  const owner = toItem((of === 'action' ? piece.actions() : piece.triggers())[operation]);
  const prop = toItem(toItem(owner['props'])[property]);
  const isFields = prop['type'] === 'DYNAMIC';
  const load = prop[isFields ? 'props' : 'options'];
  if (typeof load !== 'function') throw new Error(`It has no choices for ${property}`);
  const credential = toActionAuth(piece, auth);
  const { context } = createActionContext({ auth: credential, props: {}, files: {} });
  const values = { ...toItem(props), auth: credential };
  const result: unknown = await (load as Load).call(prop, values, {
    ...context,
    propsValue: values,
    searchValue: search,
  });
  if (isFields) return readFields(result);
  const { disabled, placeholder, options } = toItem(result);
  const isDisabled = disabled === true;
  if (!isDisabled && !Array.isArray(options)) throw new Error('The pack returned no list of choices');
  const list = Array.isArray(options) ? (options as unknown[]) : [];
  if (list.length > maxOptions)
    throw new Error(`The pack returned ${list.length} choices; the most that are accepted is ${maxOptions}`);
  return {
    kind: 'options',
    isDisabled,
    placeholder,
    options: list.map((one) => {
      const { label, value } = toItem(one);
      return { label, value };
    }),
  };
}

function readFields(result: unknown): Item {
  if (typeof result !== 'object' || result === null || Array.isArray(result))
    throw new Error('The pack returned no fields');
  return { kind: 'fields', properties: listProps(result) };
}
