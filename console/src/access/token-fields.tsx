import type { Caller } from '../api/session.ts'
import { Field } from '../components/form.tsx'
import { DAY_MS, dayAndTime } from '../times/time.ts'
import type { TokenCreate } from './requests.ts'
import { TEXT } from './texts.ts'

const DAY_S = DAY_MS / 1_000
const DAYS = [30, 90, 365] as const

export type Scope = NonNullable<TokenCreate['scope']>
/** Rights from the widest to the narrowest. */
const SCOPES: readonly Scope[] = ['owner', 'admin', 'member', 'readonly']

/** Rights within another one. The right to read does not include sending lines. */
export function scopesWithin(right: string): readonly Scope[] {
  const at = SCOPES.indexOf(right as Scope)
  const within = at === -1 ? [] : SCOPES.slice(at)
  return right === 'readonly' ? within : [...within, 'ingest']
}

/** The end of a token as it is chosen: a number of days, a day, or the first choice of the list. */
export interface ChosenEnd {
  readonly choice: 'first' | 'never' | 'day' | (typeof DAYS)[number]
  /** Day as `2026-11-27`, for the choice of a day. */
  readonly day: string
}

export const FIRST_END: ChosenEnd = { choice: 'first', day: '' }

/** Member of a request: the server keeps or chooses the end where it is left out. */
export function expiresOf({ choice, day }: ChosenEnd): { readonly expires?: string | number | null } {
  switch (choice) {
    case 'first':
      return {}
    case 'never':
      return { expires: null }
    case 'day':
      return { expires: day }
    default:
      return { expires: choice * DAY_S }
  }
}

/** Whether a chosen end can be sent. */
export function isWhole({ choice, day }: ChosenEnd): boolean {
  return choice !== 'day' || day !== ''
}

/** The end of a token. */
export function EndField({
  end,
  first,
  caller,
  error,
  onChange,
}: {
  readonly end: ChosenEnd
  /** Text of the first choice, which sends nothing. */
  readonly first: string
  readonly caller: Caller
  readonly error: Error | null
  readonly onChange: (end: ChosenEnd) => void
}) {
  // A token cannot outlive the one with which it was made.
  const choices: readonly ChosenEnd['choice'][] = [
    'first',
    ...DAYS,
    'day',
    ...(caller.expires_at === null ? (['never'] as const) : []),
  ]
  const textOf = (choice: ChosenEnd['choice']) => {
    if (choice === 'first') return first
    if (choice === 'never') return TEXT.tokens.never
    return choice === 'day' ? TEXT.tokens.onDay : TEXT.tokens.inDays(choice)
  }
  return (
    <>
      <Field label={TEXT.tokens.ends} place="expires" error={error}>
        {control => (
          <select
            {...control}
            className="field"
            value={String(end.choice)}
            onChange={({ target }) =>
              onChange({
                ...end,
                choice: choices.find(each => String(each) === target.value) ?? 'first',
              })
            }
          >
            {choices.map(each => (
              <option key={each} value={String(each)}>
                {textOf(each)}
              </option>
            ))}
          </select>
        )}
      </Field>
      {end.choice === 'day' && (
        <Field label={TEXT.tokens.day}>
          {control => (
            <input
              {...control}
              type="date"
              className="field"
              value={end.day}
              onChange={({ target }) => onChange({ ...end, day: target.value })}
            />
          )}
        </Field>
      )}
    </>
  )
}

/** Text of the end that a new token has unless another one is chosen. */
export function usualEnd({ expires_at: endsAt }: Caller, zone: string): string {
  return endsAt === null ? TEXT.tokens.never : TEXT.tokens.asYours(dayAndTime(Date.parse(endsAt), zone))
}

/** The right of a token. */
export function ScopeField({
  scope,
  first,
  scopes,
  error,
  note,
  onChange,
}: {
  readonly scope: Scope | undefined
  /** Text of the first choice, which sends nothing. */
  readonly first: string
  readonly scopes: readonly Scope[]
  readonly error: Error | null
  readonly note?: string
  readonly onChange: (scope: Scope | undefined) => void
}) {
  return (
    <Field label={TEXT.tokens.right} place="scope" error={error} note={note}>
      {control => (
        <select
          {...control}
          className="field"
          value={scope ?? ''}
          onChange={({ target }) => onChange(scopes.find(each => each === target.value))}
        >
          <option value="">{first}</option>
          {scopes.map(each => (
            <option key={each} value={each}>
              {TEXT.tokens.rights[each]}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
