import { count } from '../../numbers.ts'
import { titleOf } from '../document/nodes.ts'
import type { Draft } from '../draft/use-draft.ts'
import type { PreviewOutcome, PreviewRecord } from '../requests.ts'
import { TEXT } from '../texts.ts'
import { InForce } from './in-force.tsx'
import style from './trial.module.css'

/** Counts of each node on both sides, and lines with another result. */
export function PreviewResult({
  record,
  result,
  draft,
  onNarrow,
}: {
  readonly record: PreviewRecord
  readonly result: PreviewOutcome
  readonly draft: Draft
  readonly onNarrow: (minutes: number) => void
}) {
  const { nodes, differing, under_way: underWay, assumption, samples } = result
  return (
    <>
      <p className={style.verdict} role="status">
        {differing === 0 ? TEXT.preview.same : TEXT.preview.differing(count(differing))}
      </p>
      <InForce record={record} onNarrow={onNarrow} />
      {underWay > 0 && <p className="soft">{TEXT.preview.underWay(count(underWay))}</p>}
      {assumption !== null && <p className="soft">{assumption}</p>}
      <div className={style.card}>
        <table>
          <thead>
            <tr>
              <th scope="col">{TEXT.preview.node}</th>
              <th scope="col">{TEXT.preview.ran}</th>
              <th scope="col">{TEXT.preview.draft}</th>
              <th scope="col">{TEXT.preview.change}</th>
            </tr>
          </thead>
          <tbody>
            {nodes.map(({ id, title, name, type, deployed, draft: tried }) => {
              const shown = title ?? nameOf(name ?? draft.base.nodes.find(each => each.id === id)?.name, type)
              const change = (tried?.events_out ?? 0) - (deployed?.events_out ?? 0)
              return (
                <tr key={id}>
                  <th scope="row">
                    <b>{shown}</b>
                    {shown !== type && <small>{type}</small>}
                  </th>
                  <td>{deployed === null ? '\u2013' : count(deployed.events_out)}</td>
                  <td>{tried === null ? '\u2013' : count(tried.events_out)}</td>
                  <td data-change={change === 0 ? undefined : change > 0 ? 'more' : 'less'}>
                    {change === 0 ? '0' : `${change > 0 ? '+' : '\u2212'}${count(Math.abs(change))}`}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {samples.length > 0 && (
        <section className={style.samplesOf}>
          <h2>{TEXT.preview.samples}</h2>
          <ul>
            {samples.map(({ event, deployed_events: ran, draft_events: tried }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: equal lines can differ in the same way
              <li key={index}>
                <pre>{textOf(event.message)}</pre>
                <dl>
                  <dt>{TEXT.preview.ran}</dt>
                  <dd>{outcomeText(ran)}</dd>
                  <dt>{TEXT.preview.draft}</dt>
                  <dd>{outcomeText(tried)}</dd>
                </dl>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function textOf(message: unknown): string {
  return typeof message === 'string' ? message : JSON.stringify(message)
}

function outcomeText(events: readonly { readonly message: unknown }[]): string {
  if (events.length === 0) return TEXT.preview.nowhere
  return events
    .map(({ message }) => (typeof message === 'string' ? message : JSON.stringify(message)))
    .join('\n')
}

/** Name of a node without a title; its type where the name is nothing but an id. */
function nameOf(name: string | undefined, type: string): string {
  return name === undefined ? type : titleOf({ name, type })
}
