import { CircleAlert, KeyRound } from 'lucide-react'
import { placeOf } from '../document/edits.ts'
import { nodeNamed, titleOf } from '../document/nodes.ts'
import type { Draft } from '../draft/use-draft.ts'
import { TEXT } from '../texts.ts'
import style from './page.module.css'

/** A sentence about the draft, and the node that it is about. */
export interface PlacedFinding {
  readonly node: string | undefined
  readonly where: string
  readonly message: string
  readonly isSecret: boolean
}

/** Findings of the server in the order of the document, and secrets that have to be entered again. */
export function findingsOf({ document, findings, missingSecrets }: Draft): readonly PlacedFinding[] {
  const title = (name: string | undefined) => {
    const node = name === undefined ? undefined : nodeNamed(document, name)?.node
    return node === undefined ? '' : titleOf(node)
  }
  return [
    ...missingSecrets.map(node => ({
      node,
      where: title(node),
      message: TEXT.edit.secretMissing,
      isSecret: true,
    })),
    ...findings.map(({ place, message }) => {
      const { node, pointer } = placeOf(document, place)
      const where = [title(node), pointer.replace(/^\/config\//, '/').slice(1)].filter(each => each !== '')
      return { node, where: where.join(', '), message, isSecret: false }
    }),
  ]
}

/** The list of findings below the graph. */
export function FindingsBar({
  findings,
  onSelect,
}: {
  readonly findings: readonly PlacedFinding[]
  readonly onSelect: (node: string) => void
}) {
  if (findings.length === 0) return null
  return (
    <section className={style.findings} aria-label={TEXT.edit.findingsTitle}>
      <ul>
        {findings.map(({ node, where, message, isSecret }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two findings can have the same words
          <li key={index}>
            {isSecret ? <KeyRound size={14} aria-hidden /> : <CircleAlert size={14} aria-hidden />}
            {node === undefined ? (
              <b>{where}</b>
            ) : (
              <button type="button" className={style.findingPlace} onClick={() => onSelect(node)}>
                {where}
              </button>
            )}
            <span>{message}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
