import style from './switch.module.css'

/** A switch that acts at once, with its state in words behind it. */
export function Switch({
  label,
  state,
  isOn,
  isDisabled = false,
  onSwitch,
}: {
  /** Action of a press, such as "Switch the rule off". */
  readonly label: string
  /** State in words. */
  readonly state: string
  readonly isOn: boolean
  readonly isDisabled?: boolean
  readonly onSwitch: () => void
}) {
  return (
    <span className={style.whole}>
      <button
        type="button"
        role="switch"
        className={style.switch}
        aria-label={label}
        title={label}
        aria-checked={isOn}
        disabled={isDisabled}
        onClick={onSwitch}
      />
      <span>{state}</span>
    </span>
  )
}
