import { Braces, KeyRound } from 'lucide-react';
import { useState } from 'react';
import { Field } from '../../ui/field.tsx';
import { IconButton } from '../../ui/button.tsx';
import { parseSecretTemplate, formatSecretTemplate, type Credential } from '../../credentials/credential.ts';
import { formatFieldName, type FieldPath } from '../model/field-path.ts';
import type { Field as FieldOfSchema } from '../model/field.ts';
import { CredentialPicker } from './credential-picker.tsx';
import { useForm, type ControlProps } from './form-context.ts';
import { TemplateInput } from './template-input.tsx';
import { t } from '../../i18n/index.ts';

/** The name of a secret or of a connection. */
export function CredentialNameControl(props: ControlProps & { kind: 'secret' | 'connection' }) {
  const { fieldPath, value, kind, ...rest } = props;
  const { change } = useForm();
  const text = typeof value === 'string' ? value : '';
  const name = kind === 'secret' ? (parseSecretTemplate(text) ?? text) : text;
  return (
    <CredentialPicker
      {...rest}
      kinds={[kind]}
      selected={name === '' ? null : { kind, name }}
      onChoose={(credential) => change(fieldPath, credential?.name)}
    />
  );
}

/** A text that is normally a stored secret, as `{{ secrets.NAME }}`; any other template can be typed. */
export function SecretTemplateControl(props: ControlProps) {
  const { fieldPath, value, isRequired } = props;
  const { change } = useForm();
  const text = typeof value === 'string' ? value : '';
  const name = parseSecretTemplate(text);
  const [isTyping, setIsTyping] = useState(text !== '' && name === null);
  // A text that a secret does not stand for can only be shown as text.
  const isText = isTyping || (text !== '' && name === null);
  return (
    <div className="or-template">
      <div className="or-template__control">
        {isText ? (
          <TemplateInput
            id={props.id}
            describedBy={props.describedBy}
            isInvalid={props.isInvalid}
            fieldPath={fieldPath}
            text={text}
            onText={(next) => change(fieldPath, next === '' && !isRequired ? undefined : next)}
          />
        ) : (
          <CredentialPicker
            {...props}
            kinds={['secret']}
            selected={name === null ? null : { kind: 'secret', name }}
            onChoose={(credential) =>
              change(fieldPath, credential === null ? undefined : formatSecretTemplate(credential.name))
            }
          />
        )}
      </div>
      <IconButton
        size="small"
        icon={isText ? <KeyRound size={14} /> : <Braces size={14} />}
        label={isText ? t('Choose a secret') : t('Use template')}
        onClick={() => {
          if (isText && name === null && text !== '') change(fieldPath, isRequired ? '' : undefined);
          setIsTyping(!isText);
        }}
      />
    </div>
  );
}

/** The fields `credentials` and `connection` as one choice: a node uses one of the two. */
export function AccountControl({
  field,
  object,
  fieldPath,
}: {
  field: FieldOfSchema;
  object: Readonly<Record<string, unknown>>;
  fieldPath: FieldPath;
}) {
  const { change, errors } = useForm();
  const { credentials, connection, ...others } = object;
  const secret = typeof credentials === 'string' ? credentials : '';
  const name = parseSecretTemplate(secret);
  const selected: Credential | null =
    typeof connection === 'string' && connection !== ''
      ? { kind: 'connection', name: connection }
      : name === null
        ? null
        : { kind: 'secret', name };
  const fieldName = (key: string): string => formatFieldName([...fieldPath, key]);
  return (
    <Field
      label={field.label}
      hint={field.description}
      error={
        (selected?.kind === 'connection' ? undefined : errors.get(fieldName('credentials'))) ??
        errors.get(fieldName('connection')) ??
        null
      }
      path={fieldName('credentials')}
    >
      {(tied) =>
        selected === null && secret !== '' ? (
          <SecretTemplateControl
            id={tied.id}
            describedBy={tied['aria-describedby']}
            isInvalid={tied['aria-invalid'] === true}
            isRequired={false}
            fieldPath={[...fieldPath, 'credentials']}
            value={secret}
          />
        ) : (
          <CredentialPicker
            id={tied.id}
            describedBy={tied['aria-describedby']}
            isInvalid={tied['aria-invalid'] === true}
            isRequired={false}
            kinds={['connection', 'secret']}
            selected={selected}
            onChoose={(credential) =>
              change(fieldPath, {
                ...others,
                ...(credential === null
                  ? {}
                  : credential.kind === 'connection'
                    ? { connection: credential.name }
                    : { credentials: formatSecretTemplate(credential.name) }),
              })
            }
          />
        )
      }
    </Field>
  );
}
