import { useState } from 'react'
import type { Selection } from '../api/searches.ts'
import { Dialog } from '../components/dialog.tsx'
import { Field, Form } from '../components/form.tsx'
import { TEXT } from '../texts.ts'
import { dayAndTime, timeNear } from '../times/time.ts'

/** Asks for a time at which the list is to begin. */
export function GoToTime({
  selection,
  zone,
  onGo,
  onClose,
}: {
  readonly selection: Selection
  readonly zone: string
  readonly onGo: (atMs: number) => void
  readonly onClose: () => void
}) {
  const [text, setText] = useState('')
  const [isWrong, setWrong] = useState(false)
  const go = () => {
    const atMs = timeNear(text, selection.toMs, zone)
    if (atMs === undefined) setWrong(true)
    else onGo(atMs)
  }
  return (
    <Dialog title={TEXT.goToTime} onClose={onClose}>
      <Form submit={TEXT.go} error={null} isPending={false} onSubmit={go} onClose={onClose}>
        <Field
          label={TEXT.time}
          finding={isWrong ? TEXT.timeWrong : undefined}
          note={TEXT.goToTimeHint(zone)}
        >
          {control => (
            <input
              {...control}
              className="field"
              value={text}
              placeholder={dayAndTime(selection.toMs, zone)}
              autoComplete="off"
              onChange={({ target }) => {
                setText(target.value)
                setWrong(false)
              }}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  )
}
