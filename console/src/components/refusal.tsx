import { Problem } from '../api/problem.ts'
import { TEXT } from '../texts.ts'
import style from './form.module.css'

/** Findings of a refused request about a place, in the server's words. */
export function findingsAt(error: Error | null, place: string): readonly string[] {
  if (!(error instanceof Problem)) return []
  return error.findings.filter(each => each.place === place).map(({ message }) => message)
}

/**
 * The reason for which the server refused a change, in its words. Changes are never repeated unasked.
 *
 * @param places fields that show the findings about themselves
 */
export function Refusal({
  error,
  places = [],
}: {
  readonly error: Error | null
  readonly places?: readonly string[]
}) {
  if (error === null) return null
  const findings = error instanceof Problem ? error.findings : []
  const others = findings.filter(({ place }) => !places.includes(place))
  const requestId = error instanceof Problem ? error.requestId : undefined
  // A message about one field stands there.
  if (findings.length > 0 && others.length === 0) return null
  return (
    <div className={style.refusal} role="alert">
      <p>{error.message}</p>
      {others
        .filter(({ message }) => message !== error.message)
        .map(({ place, message }) => (
          <p key={place + message}>{place === '' ? message : `${place}: ${message}`}</p>
        ))}
      {requestId !== undefined && <p className={style.note}>{TEXT.requestId(requestId)}</p>}
    </div>
  )
}
