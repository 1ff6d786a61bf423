import { useId } from 'react'
import { TimeRange } from '../shell/time-range.tsx'
import { DAY_MS, instantOf } from '../times/time.ts'
import style from './audit.module.css'
import type { AuditFilter } from './requests.ts'
import { KINDS, TEXT } from './texts.ts'

/** Days before now with which the fields of an open range begin. */
const USUAL_DAYS = 7

const byText = ([, a]: readonly [string, string], [, b]: readonly [string, string]) => a.localeCompare(b)

/** Conditions on the listed changes. Lists apply at once, a typed text with Enter or the button. */
export function AuditFilters({
  filter,
  people,
  shownActor,
  zone,
  onFilter,
}: {
  readonly filter: AuditFilter
  /** Names by which people, tokens and keys can be found. */
  readonly people: readonly string[]
  /** Text of the field for the actor; the page shows a known id by its name instead. */
  readonly shownActor: string
  readonly zone: string
  readonly onFilter: (change: Partial<AuditFilter>) => void
}) {
  const id = useId()
  const nowMs = Date.now()
  const toMs = instantOf(filter.to, nowMs) ?? nowMs
  return (
    <div className={style.filters}>
      <TimeRange
        from={filter.from}
        to={filter.to}
        zone={zone}
        fromMs={instantOf(filter.from, nowMs) ?? toMs - USUAL_DAYS * DAY_MS}
        toMs={toMs}
        align="start"
        hasAll
        onChoose={(from, to) => onFilter({ from, to })}
      />
      <div>
        <label htmlFor={`${id}-kind`}>{TEXT.kind}</label>
        <select
          id={`${id}-kind`}
          className="field"
          value={filter.kind}
          onChange={({ target }) => onFilter({ kind: target.value })}
        >
          <option value="">{TEXT.allKinds}</option>
          {Object.entries(KINDS)
            .toSorted(byText)
            .map(([kind, name]) => (
              <option key={kind} value={kind}>
                {name}
              </option>
            ))}
          {filter.kind !== '' && !(filter.kind in KINDS) && (
            <option value={filter.kind}>{filter.kind}</option>
          )}
        </select>
      </div>
      <div>
        <label htmlFor={`${id}-action`}>{TEXT.action}</label>
        <select
          id={`${id}-action`}
          className="field"
          value={filter.action}
          onChange={({ target }) => onFilter({ action: target.value })}
        >
          {Object.entries(TEXT.actions).map(([action, name]) => (
            <option key={action} value={action}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <form
        key={shownActor}
        onSubmit={event => {
          event.preventDefault()
          const actor = String(new FormData(event.currentTarget).get('actor') ?? '').trim()
          // The field is empty beside a known id, which stays until another name is given.
          if (actor !== '' || shownActor !== '') onFilter({ actor })
        }}
      >
        <div>
          <label htmlFor={`${id}-actor`}>{TEXT.actor}</label>
          <input
            id={`${id}-actor`}
            className="field"
            name="actor"
            list={`${id}-people`}
            defaultValue={shownActor}
            placeholder={TEXT.actorHint}
            autoComplete="off"
          />
        </div>
        <datalist id={`${id}-people`}>
          {people.map(name => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <button type="submit" className="button">
          {TEXT.filter}
        </button>
      </form>
    </div>
  )
}
