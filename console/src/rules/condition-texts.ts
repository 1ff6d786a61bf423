import { TEXT } from './texts.ts'

/** Conditions of a rule, as parts that lines must all meet. */
interface Conditions {
  readonly query: string
  readonly apps?: readonly string[]
  readonly hosts?: readonly string[]
  readonly app?: string
  readonly host?: string
  readonly level?: string
}

/** A condition with the name of the compared value; the query has none. */
export interface ConditionText {
  readonly name?: string
  readonly text: string
}

/** Conditions in words; empty: every line. */
export function conditionTexts(rule: Conditions): readonly ConditionText[] {
  const { query, apps = [], hosts = [], app = '', host = '', level = '' } = rule
  const named = [
    { name: TEXT.condition.app, texts: [...apps, app] },
    { name: TEXT.condition.host, texts: [...hosts, host] },
    { name: TEXT.condition.level, texts: [level] },
  ].flatMap(({ name, texts }) => {
    const text = texts.filter(each => each !== '').join(TEXT.or)
    return text === '' ? [] : [{ name, text }]
  })
  return query === '' ? named : [...named, { text: query }]
}
