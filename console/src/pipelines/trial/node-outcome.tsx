import type { JsonValue, PipelineFile } from '../document/file.ts'
import { memberDifferences } from '../document/member-differences.ts'
import { nodeNamed, partsOf } from '../document/nodes.ts'
import { outputsOf } from '../document/outputs.ts'
import { CHANGE_SIGNS } from '../graph/figures.ts'
import type { SimulationRecord } from '../requests.ts'
import { TEXT } from '../texts.ts'
import style from './trial.module.css'

type SimulatedNode = SimulationRecord['nodes'][number]
type NodesByName = ReadonlyMap<string, SimulatedNode>

const INDENT = 2

/** Events of one sample at a node. */
interface SampleOutcome {
  readonly sample: number | null
  readonly before: readonly JsonValue[]
  readonly after: readonly JsonValue[]
}

/** Events of a node, for each sample beside the ones that came in. */
export function NodeOutcome({
  title,
  name,
  document,
  byName,
}: {
  readonly title: string
  readonly name: string
  readonly document: PipelineFile
  readonly byName: NodesByName
}) {
  const node = byName.get(name)
  if (node === undefined) return null
  const outcomes = outcomesOf(name, node, document, byName)
  return (
    <section className={style.outcome} aria-label={title}>
      <h2>{title}</h2>
      {outcomes.length === 0 && <p className="soft">{TEXT.simulate.noEvents}</p>}
      <ul>
        {outcomes.map(outcome => (
          <li key={outcome.sample}>
            <h3>{outcome.sample === null ? TEXT.simulate.window : TEXT.simulate.sample(outcome.sample)}</h3>
            <Outcome outcome={outcome} node={node} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Outcome({
  outcome: { sample, before, after },
  node,
}: {
  readonly outcome: SampleOutcome
  readonly node: SimulatedNode
}) {
  const dropped = node.dropped.filter(each => each.sample === sample)
  const errors = node.errors.filter(each => each.sample === sample)
  const [old, next] = [before[0], after[0]]
  const isOne = before.length === 1 && after.length === 1
  return (
    <>
      {isOne && old !== undefined && next !== undefined ? (
        <Difference before={old} after={next} />
      ) : (
        after.map((event, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: equal events can leave a node
          <pre key={index}>{JSON.stringify(event, null, INDENT)}</pre>
        ))
      )}
      {dropped.map(({ reason }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sample can be dropped twice for one reason
        <p key={index} className={style.dropped}>
          {TEXT.simulate.dropped}: <code>{JSON.stringify(reason)}</code>
        </p>
      ))}
      {errors.map(({ code, message }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an error can be reported twice
        <p key={index} className={style.failed}>
          <code>{code}</code> {message}
        </p>
      ))}
    </>
  )
}

/** One event after a node, with the members that the node added, changed or removed. */
function Difference({ before, after }: { readonly before: JsonValue; readonly after: JsonValue }) {
  const differences = memberDifferences(before, after)
  return (
    <>
      <pre>{JSON.stringify(after, null, INDENT)}</pre>
      {differences.length > 0 && (
        <ul className={style.differences}>
          {differences.map(({ path, change, before: old, after: next }) => (
            <li key={path} data-change={change}>
              <b aria-hidden>{CHANGE_SIGNS[change]}</b>
              <span className="hidden">{TEXT.simulate.changes[change]}</span>
              <code>{path === '' ? '.' : `.${path}`}</code>
              <span>
                {[old, next]
                  .filter(value => value !== undefined)
                  .map(value => JSON.stringify(value))
                  .join(' \u2192 ')}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function outcomesOf(
  name: string,
  node: SimulatedNode,
  document: PipelineFile,
  byName: NodesByName,
): readonly SampleOutcome[] {
  const incoming = (nodeNamed(document, name)?.node.inputs ?? []).flatMap(reference =>
    eventsOf(reference, document, byName),
  )
  const outgoing = node.outputs.flatMap(({ events }) => events)
  const samples = [
    ...new Set([...incoming, ...outgoing, ...node.dropped, ...node.errors].map(({ sample }) => sample)),
  ].sort((a, b) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY))
  const messages = (events: typeof incoming, of: number | null) =>
    events.filter(({ sample }) => sample === of).map(({ event }) => event.message as JsonValue)
  return samples.map(sample => ({
    sample,
    before: messages(incoming, sample),
    after: messages(outgoing, sample),
  }))
}

/** Events that left by an output of the document. Outputs of both sides have one order. */
function eventsOf(reference: string, document: PipelineFile, byName: NodesByName) {
  const { name } = partsOf(reference)
  const from = nodeNamed(document, name)?.node
  if (from === undefined) return []
  const index = outputsOf(from).findIndex(each => each.reference === reference)
  return byName.get(name)?.outputs[index]?.events ?? []
}
