import { CopyButton } from '../components/copy-button.tsx'
import { dayAndTime } from '../times/time.ts'
import style from './audit.module.css'
import { changedMembers } from './changed-members.ts'
import { actorName, entityName, type Names, namesInTexts } from './entity-names.ts'
import type { AuditEvent } from './requests.ts'
import { kindText, TEXT } from './texts.ts'

/** One change, which opens to the members that it changed. */
export function Change({
  event,
  names,
  zone,
  onOnly,
  onOnlyBy,
}: {
  readonly event: AuditEvent
  readonly names: Names
  readonly zone: string
  /** Shows changes of this entity alone. */
  readonly onOnly: () => void
  /** Shows changes by this person or key alone. */
  readonly onOnlyBy: () => void
}) {
  const { at, actor, action, kind, entity } = event
  return (
    <details>
      <summary>
        <time dateTime={at}>{dayAndTime(Date.parse(at), zone)}</time>
        <span>
          {TEXT.actions[action] ?? action} {kindText(kind)} <b title={entity}>{entityName(event, names)}</b>
        </span>
        <span className={style.who} title={actor.id}>
          {actorName(actor)} ({TEXT.types[actor.type] ?? actor.type})
        </span>
      </summary>
      <div className={style.members}>
        <p className={style.id}>
          <span className="soft">{TEXT.id}</span>
          <code>{entity}</code>
          <CopyButton text={entity} label={TEXT.copyId} />
          <button type="button" className="button" onClick={onOnly}>
            {TEXT.onlyThis}
          </button>
          <button type="button" className="button" onClick={onOnlyBy}>
            {TEXT.onlyBy(actorName(actor))}
          </button>
        </p>
        <Members event={event} names={names} />
      </div>
    </details>
  )
}

/** Values before and after, and the names of the entities whose ids they contain. */
function Members({ event, names }: { readonly event: AuditEvent; readonly names: Names }) {
  const members = changedMembers(event)
  const named = namesInTexts(
    members.flatMap(({ before, after }) => [before ?? '', after ?? '']),
    names,
  )
  return (
    <>
      <table>
        <thead>
          <tr>
            {[TEXT.member, TEXT.before, TEXT.after].map(each => (
              <th key={each} scope="col">
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {members.map(({ pointer, before, after }) => (
            <tr key={pointer}>
              <th scope="row">{pointer === '' ? TEXT.whole : <code>{pointer}</code>}</th>
              {[before, after].map((value, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: there are two cells, before and after
                <td key={index}>
                  <pre>{value ?? TEXT.absent}</pre>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {named.length > 0 && (
        <dl className={style.named} aria-label={TEXT.named}>
          {named.map(({ id, name }) => (
            <div key={id}>
              <dt>
                <code>{id}</code>
              </dt>
              <dd>{name}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}
