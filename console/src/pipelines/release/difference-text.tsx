import type { RevisionDiff } from '../requests.ts'
import style from './release.module.css'

/** Differences as lines of text. The signs at their beginning say what they mean; colours only repeat them. */
export function DifferenceText({
  difference: { text },
  none,
}: {
  readonly difference: RevisionDiff
  readonly none: string
}) {
  if (text.length === 0) return <p className="soft">{none}</p>
  return (
    <ul className={style.difference}>
      {text.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines can repeat, and do not move
        <li key={index} data-sign={line.trimStart().charAt(0)}>
          {line}
        </li>
      ))}
    </ul>
  )
}
