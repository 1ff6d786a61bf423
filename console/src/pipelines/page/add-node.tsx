import { useEffect, useId, useRef, useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import type { NodeKind } from '../document/nodes.ts'
import { KindIcon } from '../graph/graph-node.tsx'
import type { NodeType } from '../requests.ts'
import { TEXT } from '../texts.ts'
import style from './add-node.module.css'

const KINDS: readonly NodeKind[] = ['source', 'transform', 'sink']

/** Chooses the type of a new node. Types that this version does not run come last. */
export function AddNode({
  types,
  onChoose,
  onClose,
}: {
  readonly types: readonly NodeType[]
  readonly onChoose: (type: NodeType) => void
  readonly onClose: () => void
}) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [wanted, setWanted] = useState('')
  const words = wanted.toLowerCase().split(/\s+/)
  const found = types.filter(({ type, summary, aliases }) => {
    const text = [type, summary, ...aliases].join(' ').toLowerCase()
    return words.every(word => text.includes(word))
  })
  const running = found.filter(({ runs }) => runs)
  const others = found.filter(({ runs }) => !runs)
  // The dialog opens first, and would give the focus to its own button.
  useEffect(() => field.current?.focus(), [])
  return (
    <Dialog title={TEXT.edit.addNode} onClose={onClose}>
      <div className={style.search}>
        <label htmlFor={id} className="hidden">
          {TEXT.edit.findType}
        </label>
        <input
          ref={field}
          id={id}
          className="field"
          placeholder={TEXT.edit.findType}
          value={wanted}
          autoComplete="off"
          onChange={({ target }) => setWanted(target.value)}
          onKeyDown={event => {
            const [first] = running
            if (event.key === 'Enter' && first !== undefined) onChoose(first)
          }}
        />
      </div>
      {found.length === 0 && <p className="soft">{TEXT.edit.noType}</p>}
      <TypeList types={running} onChoose={onChoose} />
      {others.length > 0 && (
        <details className={style.others}>
          <summary>{TEXT.edit.otherTypes(others.length)}</summary>
          <p className="soft">{TEXT.notRunning}</p>
          <TypeList types={others} onChoose={onChoose} />
        </details>
      )}
    </Dialog>
  )
}

function TypeList({
  types,
  onChoose,
}: {
  readonly types: readonly NodeType[]
  readonly onChoose: (type: NodeType) => void
}) {
  return KINDS.map(kind => {
    const ofKind = types.filter(each => each.kind === kind)
    if (ofKind.length === 0) return null
    return (
      <section key={kind} className={style.kind}>
        <h3>{TEXT.lists[kind]}</h3>
        <ul>
          {ofKind.map(each => (
            <li key={each.type}>
              <button type="button" data-runs={each.runs} onClick={() => onChoose(each)}>
                <KindIcon kind={kind} />
                <span>
                  <b>{each.type}</b>
                  <small>{each.summary}</small>
                </span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    )
  })
}
