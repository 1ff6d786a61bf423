import formStyle from '../components/form.module.css'
import { Field } from '../components/form.tsx'
import { MeantLines } from '../query/meant-lines.tsx'
import { QueryInput } from '../query/query-input.tsx'
import { typedNames } from './names.ts'
import { TEXT } from './texts.ts'

/** Conditions of an exclusion as they are typed: names stand in rows. */
export interface TypedConditions {
  readonly query: string
  readonly apps: string
  readonly hosts: string
}

interface ConditionMembers {
  readonly query: string
  readonly apps: readonly string[]
  readonly hosts: readonly string[]
}

export function typedConditions(members: ConditionMembers | undefined): TypedConditions {
  const { query = '', apps = [], hosts = [] } = members ?? {}
  return { query, apps: apps.join('\n'), hosts: hosts.join('\n') }
}

/** Members of a request. */
export function conditionsOf({ query, apps, hosts }: TypedConditions) {
  return { query: query.trim(), apps: typedNames(apps), hosts: typedNames(hosts) }
}

/** Query, apps and hosts of a rule, with the number of lines that they select. */
export function ConditionsFields({
  typed,
  error,
  places,
  onChange,
}: {
  readonly typed: TypedConditions
  readonly error: Error | null
  /** Names of the members in the request. */
  readonly places: { readonly query: string; readonly apps: string; readonly hosts: string }
  readonly onChange: (typed: TypedConditions) => void
}) {
  return (
    <>
      <QueryInput
        label={TEXT.query}
        place={places.query}
        error={error}
        value={typed.query}
        onChange={query => onChange({ ...typed, query })}
        note={
          <>
            {typed.query.trim() === '' && <p>{TEXT.queryNote}</p>}
            <MeantLines {...conditionsOf(typed)} />
          </>
        }
      />
      <div className={formStyle.pair}>
        {(['apps', 'hosts'] as const).map(name => (
          <Field key={name} label={TEXT[name]} place={places[name]} error={error} note={TEXT.namesNote}>
            {control => (
              <textarea
                {...control}
                className="field"
                rows={3}
                value={typed[name]}
                spellCheck={false}
                autoCapitalize="off"
                autoComplete="off"
                onChange={({ target }) => onChange({ ...typed, [name]: target.value })}
              />
            )}
          </Field>
        ))}
      </div>
    </>
  )
}
