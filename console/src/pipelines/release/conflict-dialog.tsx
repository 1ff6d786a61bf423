import { useMemo, useState } from 'react'
import type { PipelineGraph } from '../../api/pipelines.ts'
import { Dialog } from '../../components/dialog.tsx'
import type { PipelineFile } from '../document/file.ts'
import { type Choice, type Conflict, mergeOf } from '../document/merge.ts'
import { TEXT } from '../texts.ts'
import style from './release.module.css'

const INDENT = 2

/** Dialog with both versions of a draft that two people changed. Nothing of either is lost without a choice. */
export default function ConflictDialog({
  base,
  mine,
  theirs,
  onUse,
  onClose,
}: {
  readonly base: PipelineFile
  readonly mine: PipelineFile
  readonly theirs: PipelineGraph
  readonly onUse: (merged: PipelineFile) => void
  readonly onClose: () => void
}) {
  const merge = useMemo(() => mergeOf(base, mine, theirs.document), [base, mine, theirs])
  const [choices, setChoices] = useState<ReadonlyMap<string | undefined, Choice>>(new Map())
  const isDecided = merge.conflicts.every(({ name }) => choices.has(name))
  return (
    <Dialog title={TEXT.conflict.title} isWide onClose={onClose}>
      <p className="soft">{TEXT.conflict.why}</p>
      {merge.taken.length > 0 && <p>{TEXT.conflict.taken(merge.taken.join(', '))}</p>}
      {merge.conflicts.map(conflict => (
        <OneConflict
          key={conflict.name ?? ''}
          conflict={conflict}
          choice={choices.get(conflict.name)}
          onChoose={choice => setChoices(before => new Map(before).set(conflict.name, choice))}
        />
      ))}
      <div className={style.buttons}>
        <button type="button" className="button" onClick={onClose}>
          {TEXT.conflict.later}
        </button>
        <button
          type="button"
          className="primary"
          disabled={!isDecided}
          onClick={() => onUse(merge.with(({ name }) => choices.get(name) ?? 'theirs'))}
        >
          {TEXT.conflict.use}
        </button>
      </div>
    </Dialog>
  )
}

function OneConflict({
  conflict: { name, mine, theirs },
  choice,
  onChoose,
}: {
  readonly conflict: Conflict
  readonly choice: Choice | undefined
  readonly onChoose: (choice: Choice) => void
}) {
  const title = name ?? TEXT.conflict.document
  return (
    <fieldset className={style.conflict}>
      <legend>{title}</legend>
      {(['mine', 'theirs'] as const).map(side => (
        <label key={side} data-chosen={choice === side || undefined}>
          <span>
            <input
              type="radio"
              name={`conflict ${title}`}
              checked={choice === side}
              onChange={() => onChoose(side)}
            />
            {TEXT.conflict[side]}
          </span>
          <pre>{textOf(side === 'mine' ? mine : theirs)}</pre>
        </label>
      ))}
    </fieldset>
  )
}

function textOf(value: unknown): string {
  return value === undefined ? TEXT.conflict.removed : JSON.stringify(value, null, INDENT)
}
