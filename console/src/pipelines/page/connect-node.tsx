import { useEffect, useId, useRef, useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { closesCircle } from '../document/edits.ts'
import type { PipelineFile } from '../document/file.ts'
import { nodesOf, type PlacedNode, titleOf } from '../document/nodes.ts'
import { outputsOf } from '../document/outputs.ts'
import { KindIcon } from '../graph/graph-node.tsx'
import { TEXT } from '../texts.ts'
import style from './add-node.module.css'

/** A connection that can be made. */
interface Way {
  readonly reference: string
  readonly label: string | undefined
  readonly to: PlacedNode
}

/** Chooses the node that an output of a node is connected with. */
export function ConnectNode({
  document,
  from,
  onChoose,
  onClose,
}: {
  readonly document: PipelineFile
  readonly from: PlacedNode
  readonly onChoose: (reference: string, to: string) => void
  readonly onClose: () => void
}) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [wanted, setWanted] = useState('')
  const words = wanted.toLowerCase().split(/\s+/)
  const found = waysFrom(document, from).filter(way =>
    words.every(word => textOf(way).toLowerCase().includes(word)),
  )
  // The dialog opens first, and would give the focus to its own button.
  useEffect(() => field.current?.focus(), [])
  return (
    <Dialog title={TEXT.edit.connect(titleOf(from.node))} onClose={onClose}>
      <div className={style.search}>
        <label htmlFor={id} className="hidden">
          {TEXT.edit.findNode}
        </label>
        <input
          ref={field}
          id={id}
          className="field"
          placeholder={TEXT.edit.findNode}
          value={wanted}
          autoComplete="off"
          onChange={({ target }) => setWanted(target.value)}
          onKeyDown={event => {
            const [first] = found
            if (event.key === 'Enter' && first !== undefined) onChoose(first.reference, first.to.node.name)
          }}
        />
      </div>
      {found.length === 0 && <p className="soft">{TEXT.edit.noWay}</p>}
      <ul className={style.kind}>
        {found.map(way => (
          <li key={`${way.reference} ${way.to.node.name}`}>
            <button type="button" onClick={() => onChoose(way.reference, way.to.node.name)}>
              <KindIcon kind={way.to.kind} />
              <span>
                <b>{titleOf(way.to.node)}</b>
                <small>{way.label === undefined ? way.to.node.type : TEXT.edit.byOutput(way.label)}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function textOf({ label = '', to: { node } }: Way): string {
  return [titleOf(node), node.name, node.type, label].join(' ')
}

/** Connections that the document does not have yet, and that close no circle. */
function waysFrom(document: PipelineFile, { kind, node: from }: PlacedNode): readonly Way[] {
  if (kind === 'sink') return []
  const targets = nodesOf(document).filter(
    ({ kind: of, node: { name } }) => of !== 'source' && !closesCircle(document, from.name, name),
  )
  return outputsOf(from).flatMap(({ reference, label }) =>
    targets
      .filter(({ node: { inputs } }) => inputs?.includes(reference) !== true)
      .map(to => ({ reference, label, to })),
  )
}
