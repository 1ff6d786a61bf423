import { ArrowUp, Plus, Trash2, X } from 'lucide-react'
import { useId } from 'react'
import { CodeEditor } from '../../components/code-editor.tsx'
import { isJsonObject, type JsonObject, type JsonValue } from '../document/file.ts'
import { TEXT } from '../texts.ts'
import { ComparisonField, ConditionField } from './condition-field.tsx'
import { Described, type FieldProps, Findings, nameOfField } from './described.tsx'
import style from './form.module.css'
import { useFindings } from './form-context.ts'
import { JsonField } from './json-field.tsx'
import { firstValueOf, type OptionSchema, widgetOf } from './schema.ts'
import { SecretField } from './secret-field.tsx'
import { BooleanField, ChoiceField, NumberField, ScalarField, TextField } from './simple-fields.tsx'

/** Fields of all options of an object. The schema comes from the declaration of the node's type. */
export function OptionForm({
  schema,
  value,
  pointer,
  onChange,
}: {
  readonly schema: OptionSchema
  readonly value: JsonObject
  /** JSON pointer of the object; empty for the options as a whole. */
  readonly pointer: string
  readonly onChange: (value: JsonObject, place: string) => void
}) {
  const { properties = {}, required = [] } = schema
  return (
    <div className={style.form}>
      {Object.entries(properties)
        // The server gives names to outputs.
        .filter(([name]) => !name.startsWith('_'))
        .map(([name, member]) => (
          <Field
            key={name}
            name={name}
            schema={member}
            value={value[name]}
            pointer={`${pointer}/${name}`}
            isRequired={required.includes(name)}
            onChange={(changed, place) => onChange(withMember(value, name, changed), place)}
          />
        ))}
      <UnknownMembers known={properties} value={value} pointer={pointer} />
    </div>
  )
}

/** The object with another value of a member; undefined removes it. */
function withMember(value: JsonObject, name: string, member: JsonValue | undefined): JsonObject {
  if (member !== undefined) return { ...value, [name]: member }
  const { [name]: _, ...rest } = value
  return rest
}

/** Findings at members that the declaration does not have. */
function UnknownMembers({
  known,
  value,
  pointer,
}: {
  readonly known: object
  readonly value: JsonObject
  readonly pointer: string
}) {
  const own = useFindings(pointer)
  const unknown = Object.keys(value).filter(name => !(name in known))
  return (
    <>
      {pointer === '' && <Findings messages={own} />}
      {unknown.map(name => (
        <UnknownMember key={name} name={name} pointer={`${pointer}/${name}`} />
      ))}
    </>
  )
}

function UnknownMember({ name, pointer }: { readonly name: string; readonly pointer: string }) {
  return <Findings messages={useFindings(pointer).map(message => `${name}: ${message}`)} />
}

/** The field of one option. */
export function Field(props: FieldProps) {
  switch (widgetOf(props.schema)) {
    case 'choice':
      return <ChoiceField {...props} />
    case 'boolean':
      return <BooleanField {...props} />
    case 'number':
      return <NumberField {...props} />
    case 'secret':
      return <SecretField {...props} />
    case 'script':
      return <ScriptField {...props} />
    case 'list':
      return <ListField {...props} />
    case 'condition':
    case 'comparison':
      return <ConditionOption {...props} />
    case 'group':
      return <GroupField {...props} />
    case 'json':
      return <JsonField {...props} />
    case 'scalar':
      return <ScalarField {...props} />
    default:
      return <TextField {...props} />
  }
}

function ScriptField(props: FieldProps) {
  const { value, pointer, onChange } = props
  return (
    <Described {...props}>
      {() => (
        <CodeEditor
          label={nameOfField(props)}
          language="javascript"
          lines={12}
          value={typeof value === 'string' ? value : ''}
          onChange={text => onChange(text, pointer)}
        />
      )}
    </Described>
  )
}

/** An object: its fields stand in a group, which can be left out where the object is not required. */
function GroupField({ name, schema, value, pointer, isRequired, onChange }: FieldProps) {
  const isSet = isJsonObject(value)
  return (
    <OptionalGroup
      {...{ name, schema, isSet, isRequired, pointer }}
      onSet={() => onChange(firstValueOf(schema), pointer)}
      onUnset={() => onChange(undefined, pointer)}
    >
      {isSet && <OptionForm schema={schema} value={value} pointer={pointer} onChange={onChange} />}
    </OptionalGroup>
  )
}

function ConditionOption({ name, schema, value, pointer, isRequired, onChange }: FieldProps) {
  return (
    <OptionalGroup
      {...{ name, schema, isSet: value !== undefined, isRequired, pointer }}
      onSet={() => onChange(firstValueOf(schema), pointer)}
      onUnset={() => onChange(undefined, pointer)}
    >
      {value !== undefined &&
        (widgetOf(schema) === 'condition' ? (
          <ConditionField value={value} pointer={pointer} onChange={onChange} />
        ) : (
          <ComparisonField row={isJsonObject(value) ? value : {}} pointer={pointer} onChange={onChange} />
        ))}
    </OptionalGroup>
  )
}

function OptionalGroup({
  name,
  schema,
  isSet,
  isRequired,
  pointer,
  onSet,
  onUnset,
  children,
}: {
  readonly name: string
  readonly schema: OptionSchema
  readonly isSet: boolean
  readonly isRequired: boolean
  readonly pointer: string
  readonly onSet: () => void
  readonly onUnset: () => void
  readonly children: React.ReactNode
}) {
  const hint = useId()
  return (
    <fieldset className={style.group} aria-describedby={hint}>
      <legend>
        <code>{name}</code>
        {isSet && !isRequired && (
          <button type="button" className="quiet icon" aria-label={TEXT.unset(name)} onClick={onUnset}>
            <X size={14} aria-hidden />
          </button>
        )}
      </legend>
      <p id={hint} className={style.description}>
        {schema.description}
      </p>
      {!isSet && (
        <button type="button" className="button" aria-label={TEXT.set(name)} onClick={onSet}>
          <Plus size={14} aria-hidden />
          {TEXT.add}
        </button>
      )}
      {children}
      <Findings messages={useFindings(pointer)} />
    </fieldset>
  )
}

/** A list of texts, or of objects. */
function ListField({ name, schema, value, pointer, onChange }: FieldProps) {
  const hint = useId()
  const items = schema.items ?? {}
  const elements = Array.isArray(value) ? value : []
  const areGroups = widgetOf(items) === 'group'
  const change = (next: readonly JsonValue[], place = pointer) =>
    onChange(next.length === 0 && value === undefined ? undefined : [...next], place)
  const replace = (index: number, element: JsonValue | undefined, place: string) =>
    change(elements.toSpliced(index, 1, element ?? ''), place)
  return (
    <fieldset className={style.group} aria-describedby={hint}>
      <legend>
        <code>{name}</code>
      </legend>
      <p id={hint} className={style.description}>
        {schema.description}
      </p>
      <ol className={areGroups ? style.cards : style.rows}>
        {elements.map((element, index) => {
          const at = `${pointer}/${index}`
          const number = index + 1
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is all that tells the elements apart
            <li key={index}>
              <div className={style.element}>
                {areGroups ? (
                  <OptionForm
                    schema={items}
                    value={isJsonObject(element) ? element : {}}
                    pointer={at}
                    onChange={(changed, place) => replace(index, changed, place)}
                  />
                ) : (
                  <Field
                    name={`${name} ${number}`}
                    schema={items}
                    value={element}
                    pointer={at}
                    isRequired
                    isBare
                    onChange={(changed, place) => replace(index, changed, place)}
                  />
                )}
              </div>
              <div className={style.elementButtons}>
                {index > 0 && (
                  <button
                    type="button"
                    className="quiet icon"
                    aria-label={TEXT.moveUp(number, name)}
                    onClick={() =>
                      change(elements.toSpliced(index - 1, 2, element, elements[index - 1] ?? ''))
                    }
                  >
                    <ArrowUp size={14} aria-hidden />
                  </button>
                )}
                <button
                  type="button"
                  className="quiet icon"
                  aria-label={TEXT.removeFrom(number, name)}
                  onClick={() => change(elements.toSpliced(index, 1))}
                >
                  <Trash2 size={14} aria-hidden />
                </button>
              </div>
            </li>
          )
        })}
      </ol>
      <button
        type="button"
        className="button"
        aria-label={TEXT.addTo(name)}
        onClick={() => onChange([...elements, firstValueOf(items)], pointer)}
      >
        <Plus size={14} aria-hidden />
        {TEXT.add}
      </button>
      <Findings messages={useFindings(pointer)} />
    </fieldset>
  )
}
