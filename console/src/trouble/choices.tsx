import { useId } from 'react'

/** A list of which one value, or none, is chosen. */
export function Choices({
  label,
  all,
  present,
  options,
  onChoose,
}: {
  readonly label: string
  /** Name of the choice that restricts nothing. */
  readonly all: string
  readonly present: string
  /** Values with the texts that are shown for them. */
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly onChoose: (value: string) => void
}) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <select id={id} className="field" value={present} onChange={({ target }) => onChoose(target.value)}>
        <option value="">{all}</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
