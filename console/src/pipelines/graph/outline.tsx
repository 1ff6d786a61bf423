import type { PipelineFile } from '../document/file.ts'
import { type NodeKind, nodesOf, titleOf } from '../document/nodes.ts'
import { TEXT } from '../texts.ts'
import { type MarksByName, NO_MARKS } from './figures.ts'
import style from './graph.module.css'
import { KindIcon, NodeName } from './graph-node.tsx'

const KINDS: readonly NodeKind[] = ['source', 'transform', 'sink']

/** The nodes of a pipeline as lists, for screen readers and small screens. */
export function Outline({
  document,
  marks,
  selected,
  onSelect,
}: {
  readonly document: PipelineFile
  readonly marks: MarksByName
  readonly selected: string | null
  readonly onSelect: (name: string) => void
}) {
  const nodes = nodesOf(document)
  return (
    <nav className={style.outline} aria-label={TEXT.outline}>
      {KINDS.map(kind => {
        const ofKind = nodes.filter(each => each.kind === kind)
        if (ofKind.length === 0) return null
        return (
          <section key={kind}>
            <h2>{TEXT.lists[kind]}</h2>
            <ul>
              {ofKind.map(({ node }) => {
                const mark = marks.get(node.name) ?? NO_MARKS
                return (
                  <li key={node.name}>
                    <button
                      type="button"
                      title={titleOf(node)}
                      aria-current={node.name === selected}
                      onClick={() => onSelect(node.name)}
                    >
                      <KindIcon kind={kind} />
                      <NodeName kind={kind} node={node} marks={mark} showsFigures />
                    </button>
                  </li>
                )
              })}
            </ul>
          </section>
        )
      })}
    </nav>
  )
}
