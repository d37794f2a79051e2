import { Type } from 'typebox';
import { responseChannels, decisionPolicies, decisionStatuses } from '../decisions/decisions.ts';
import { formFieldTypes } from '../forms/form.ts';
import {
  AnyJson,
  Count,
  JsonObject,
  OneOf,
  Text,
  Time,
  defineList,
  nullable,
  defineResource,
} from './resource.ts';

/** Response resources of decisions. */

export const ChoiceResource = defineResource('DecisionChoice', 'A possible response.', {
  name: Text('The value of `choice` in a response, and the output port of the node.'),
  label: Text('The text of the button.'),
});

const AttachmentResource = defineResource(
  'DecisionAttachment',
  'A file of the execution that helps to decide.',
  {
    id: Text('The id of the file, by which `getDecisionAttachment` downloads it.'),
    name: Text(),
    content_type: Text(),
    size: Count('In bytes.'),
  },
);

const ConditionResource = defineResource('DecisionFieldCondition', 'When a field is shown.', {
  field: Text('The name of an earlier field.'),
  equals: AnyJson('The option that was chosen, or true or false for a consent.'),
});

const FieldResource = defineResource('DecisionField', 'A field that people fill in.', {
  name: Text(),
  type: OneOf(formFieldTypes),
  label: Text(),
  hint: nullable(Text()),
  required: Type.Boolean({ description: 'For the first choice, while the field is shown.' }),
  options: Type.Array(Type.String(), { description: 'Of the types choice and choices.' }),
  default: Text('The initial value; empty: none.'),
  min: nullable(Type.Number()),
  max: nullable(Type.Number()),
  show_when: nullable(ConditionResource),
});

const AssigneeResource = defineResource('DecisionAssignee', 'A person who was asked, and the response.', {
  user_id: nullable(Text('Null for a person without an account, who responds by a link.')),
  email: Text(),
  role: nullable(Text('The role by which the person was asked. Null: by address.')),
  choice: nullable(Text('Null: no response yet.')),
  comment: nullable(Text()),
  values: nullable(JsonObject('What the person filled in.')),
  via: nullable(OneOf(responseChannels, 'How the response was given.')),
  responded_at: nullable(Time()),
});

export const DecisionResource = defineResource('Decision', 'A question that an execution asks people.', {
  id: Text(),
  title: Text(),
  message: nullable(
    Text('What people need to know to decide, in Markdown. Values of the execution in it are escaped.'),
  ),
  attachments: Type.Array(AttachmentResource, { description: 'Files that help to decide; often none.' }),
  status: OneOf(
    decisionStatuses,
    '`open`: waits for responses. `decided`: a choice was made. `expired`: the deadline passed first. `cancelled`: the execution ended, or the node no longer waits.',
  ),
  choice: nullable(Text('The choice that was made.')),
  choices: Type.Array(ChoiceResource),
  fields: Type.Array(FieldResource, { description: 'What people fill in; often none.' }),
  policy: OneOf(decisionPolicies, 'Whose responses decide.'),
  required: Count('How many people must make the first choice.'),
  assignees: Type.Array(AssigneeResource, { description: 'The people who were asked, by e-mail address.' }),
  form_url: nullable(
    Text(
      'The page on which you fill in the form; null: the decision has no pages of its own, or you cannot respond.',
    ),
  ),
  can_respond: Type.Boolean({ description: 'Whether you were asked, have not responded, and it is open.' }),
  workflow_id: Text(),
  workflow_name: Text(),
  execution_id: Text(),
  node_id: Text(),
  created_at: Time(),
  deadline: nullable(Time('When the execution continues without a decision.')),
  closed_at: nullable(Time('When it was decided, expired or was cancelled.')),
});

export const DecisionListResource = defineList('DecisionList', 'decisions', DecisionResource);
