import style from './choice.module.css'

/** A few values beside each other, of which one is chosen. */
export function Choice<Value extends string | number>({
  label,
  values,
  present,
  nameOf,
  onChoose,
}: {
  readonly label: string
  readonly values: readonly Value[]
  readonly present: Value
  readonly nameOf: (value: Value) => string
  readonly onChoose: (value: Value) => void
}) {
  return (
    <fieldset className={style.choice} aria-label={label}>
      {values.map(value => (
        <button
          key={value}
          type="button"
          className="quiet"
          aria-pressed={value === present}
          onClick={() => onChoose(value)}
        >
          {nameOf(value)}
        </button>
      ))}
    </fieldset>
  )
}
