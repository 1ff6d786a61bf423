import { type FileNode, isJsonObject, type JsonValue } from '../document/file.ts'
import { conditionText } from '../form/condition-text.ts'
import { TEXT } from '../texts.ts'
import style from './node.module.css'

/** Options of a node for those who only read. */
export function ShownOptions({ node }: { readonly node: FileNode }) {
  const options = Object.entries(node.config ?? {})
  return (
    <>
      {node.description !== undefined && <p className={style.summary}>{node.description}</p>}
      <dl className={style.shown}>
        <div>
          <dt>{TEXT.name}</dt>
          <dd>
            <code>{node.name}</code>
          </dd>
        </div>
        {options.map(([name, value]) => (
          <Member key={name} name={name} value={value} />
        ))}
      </dl>
      {options.length === 0 && <p className={style.small}>{TEXT.noOptions}</p>}
    </>
  )
}

function Member({ name, value }: { readonly name: string; readonly value: JsonValue }) {
  return (
    <div>
      <dt>
        <code>{name}</code>
      </dt>
      <dd>
        <ShownValue value={value} />
      </dd>
    </div>
  )
}

function ShownValue({ value }: { readonly value: JsonValue }) {
  if (typeof value === 'string') return value.includes('\n') ? <pre>{value}</pre> : <code>{value}</code>
  if (Array.isArray(value))
    return (
      <ul className={style.values}>
        {value.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is all that tells the elements apart
          <li key={index}>
            <ShownValue value={each} />
          </li>
        ))}
      </ul>
    )
  if (!isJsonObject(value)) return <code>{String(value)}</code>
  if ('expressions' in value) return <code>{conditionText(value)}</code>
  return (
    <dl className={style.shown}>
      {Object.entries(value).map(([name, member]) => (
        <Member key={name} name={name} value={member} />
      ))}
    </dl>
  )
}
