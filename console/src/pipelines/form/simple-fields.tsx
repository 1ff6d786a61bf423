import { useContext, useState } from 'react'
import type { JsonValue } from '../document/file.ts'
import { TEXT } from '../texts.ts'
import { Described, type FieldProps } from './described.tsx'
import style from './form.module.css'
import { FormContext } from './form-context.ts'

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** A number where the text is one; else the text, which the server then judges. */
function typedNumber(text: string): JsonValue {
  return NUMBER.test(text.trim()) ? Number(text) : text
}

function textOf(value: JsonValue | undefined): string {
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
}

export function TextField(props: FieldProps) {
  const { schema, value, pointer, isRequired, onChange } = props
  const { pathList } = useContext(FormContext)
  const isPath = schema.format === 'field-path'
  const isCode = isPath || schema.format === 'regex'
  return (
    <Described {...props}>
      {control => (
        <input
          {...control}
          className={`field ${style.text} ${isCode ? style.code : ''}`}
          value={textOf(value)}
          placeholder={textOf(schema.default)}
          maxLength={schema.maxLength}
          list={isPath ? pathList : undefined}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) =>
            onChange(target.value === '' && !isRequired ? undefined : target.value, pointer)
          }
        />
      )}
    </Described>
  )
}

export function NumberField(props: FieldProps) {
  const { schema, value, pointer, onChange } = props
  return (
    <Described {...props}>
      {control => (
        <input
          {...control}
          className={`field ${style.number}`}
          inputMode="decimal"
          value={textOf(value)}
          placeholder={textOf(schema.default)}
          autoComplete="off"
          onChange={({ target }) =>
            onChange(target.value === '' ? undefined : typedNumber(target.value), pointer)
          }
        />
      )}
    </Described>
  )
}

export function ChoiceField(props: FieldProps) {
  const { schema, value, pointer, isRequired, onChange } = props
  const values = schema.enum ?? []
  // A value that the type does not know stays, until another one is chosen.
  const all = value === undefined || values.includes(value) ? values : [value, ...values]
  return (
    <Described {...props}>
      {control => (
        <select
          {...control}
          className={`field ${style.text}`}
          value={value === undefined ? '' : textOf(value)}
          onChange={({ target }) =>
            onChange(
              target.value === '' ? undefined : all.find(each => textOf(each) === target.value),
              pointer,
            )
          }
        >
          {(!isRequired || value === undefined) && <option value="">{TEXT.notSet}</option>}
          {all.map(each => (
            <option key={textOf(each)} value={textOf(each)}>
              {textOf(each)}
            </option>
          ))}
        </select>
      )}
    </Described>
  )
}

const ANSWERS = { true: TEXT.yes, false: TEXT.no } as const

export function BooleanField(props: FieldProps) {
  const { value, pointer, isRequired, onChange } = props
  return (
    <Described {...props}>
      {control => (
        <select
          {...control}
          className={`field ${style.number}`}
          value={value === undefined ? '' : String(value)}
          onChange={({ target }) =>
            onChange(target.value === '' ? undefined : target.value === 'true', pointer)
          }
        >
          {(!isRequired || value === undefined) && <option value="">{TEXT.notSet}</option>}
          {Object.entries(ANSWERS).map(([answer, text]) => (
            <option key={answer} value={answer}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Described>
  )
}

/** A text or a number: a choice beside the field says which of them is meant. */
export function ScalarField(props: FieldProps) {
  const { value, pointer, isRequired, onChange } = props
  return (
    <Described {...props}>
      {control => (
        <ScalarInput
          {...{ control, value }}
          name={props.name}
          onChange={next => onChange(next === '' && !isRequired ? undefined : next, pointer)}
        />
      )}
    </Described>
  )
}

export function ScalarInput({
  control,
  name,
  value,
  onChange,
}: {
  readonly control: object
  readonly name: string
  readonly value: JsonValue | undefined
  readonly onChange: (value: JsonValue) => void
}) {
  // The kind stays chosen while the typed text is not a number yet.
  const [isNumber, setNumber] = useState(typeof value === 'number')
  const typed = (text: string, asNumber: boolean) => onChange(asNumber ? typedNumber(text) : text)
  return (
    <div className={style.scalar}>
      <input
        {...control}
        className={`field ${style.text}`}
        value={textOf(value)}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => typed(target.value, isNumber)}
      />
      <select
        className="field"
        aria-label={`${TEXT.valueType} ${name}`}
        value={isNumber ? 'number' : 'string'}
        onChange={({ target }) => {
          setNumber(target.value === 'number')
          typed(textOf(value), target.value === 'number')
        }}
      >
        <option value="string">{TEXT.valueTypes.string}</option>
        <option value="number">{TEXT.valueTypes.number}</option>
      </select>
    </div>
  )
}
