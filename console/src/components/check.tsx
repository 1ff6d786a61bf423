import style from './check.module.css'

/** A check box with its name behind it. */
export function Check({
  label,
  isChecked,
  isDisabled = false,
  onChange,
}: {
  readonly label: string
  readonly isChecked: boolean
  readonly isDisabled?: boolean
  readonly onChange: (isChecked: boolean) => void
}) {
  return (
    <label className={style.check}>
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.checked)}
      />
      {label}
    </label>
  )
}
