import { type ConditionText, conditionTexts } from './condition-texts.ts'
import style from './rules.module.css'
import { TEXT } from './texts.ts'

/** The lines that a rule selects, in a cell of a table. */
export function LinesCell({ rule }: { readonly rule: Parameters<typeof conditionTexts>[0] }) {
  const parts = conditionTexts(rule)
  return (
    <td className={style.lines}>
      {parts.length === 0 && TEXT.any}
      {parts.map(each => (
        <Condition key={(each.name ?? '') + each.text} {...each} />
      ))}
    </td>
  )
}

function Condition({ name, text }: ConditionText) {
  if (name === undefined)
    return (
      <div>
        <code>{text}</code>
      </div>
    )
  return (
    <div>
      <span className="soft">{name}</span> {text}
    </div>
  )
}
