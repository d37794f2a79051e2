import { Type } from 'typebox';
import { ui } from '../ui-hints.ts';

/** The field `filename` of nodes that create a file. `notes` are further keywords of its schema. */
export function filenameField(name: string, notes: Parameters<typeof ui>[0] = {}) {
  return Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      default: name,
      title: 'File name',
      ...ui(notes),
      description: 'The name of the file.',
    }),
  );
}

/** The schema of a file in the output of a node. */
export const fileReference = Type.Object({
  $file: Type.Object({
    id: Type.String(),
    name: Type.String(),
    content_type: Type.String(),
    size: Type.Integer({ description: 'In bytes.' }),
  }),
});
