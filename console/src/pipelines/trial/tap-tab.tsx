import { useState } from 'react'
import { size } from '../../numbers.ts'
import { addSample } from '../samples.ts'
import { TEXT } from '../texts.ts'
import style from './trial.module.css'
import { type TapEvent, useTap } from './use-tap.ts'

const INDENT = 2

/** Events of a node that runs, as they leave it. */
export default function TapTab({
  pipelineId,
  kind,
  nodeId,
}: {
  readonly pipelineId: string
  readonly kind: 'source' | 'transform'
  readonly nodeId: string
}) {
  const [isOn, setOn] = useState(false)
  const { rows, isOpen } = useTap(`/v3/pipeline/${pipelineId}/${kind}/${nodeId}/tap`, isOn, () =>
    setOn(false),
  )
  return (
    <div className={style.tap}>
      <p className="soft">{TEXT.tap.none}</p>
      <button type="button" className={isOn ? 'button' : 'primary'} onClick={() => setOn(!isOn)}>
        {isOn ? TEXT.tap.stop : TEXT.tap.start}
      </button>
      {isOpen && rows.length === 0 && (
        <p className="soft" role="status">
          {TEXT.tap.waiting}
        </p>
      )}
      <ol role="log" aria-live="off" aria-label={TEXT.nodeTabs.tap}>
        {rows.map(({ number, event, note }) => (
          <li key={number}>
            {event === undefined ? (
              <p className="soft">{note}</p>
            ) : (
              <TapEventView pipelineId={pipelineId} event={event} />
            )}
          </li>
        ))}
      </ol>
    </div>
  )
}

function TapEventView({ pipelineId, event }: { readonly pipelineId: string; readonly event: TapEvent }) {
  const [isTaken, setTaken] = useState(false)
  if ('cut' in event)
    return (
      <>
        <pre>{event.cut}</pre>
        <p className="soft">{TEXT.tap.cut(size(event.bytes))}</p>
      </>
    )
  const take = async () => {
    await addSample(pipelineId, event.event)
    setTaken(true)
  }
  return (
    <>
      <pre>{JSON.stringify(event.event.message, null, INDENT)}</pre>
      <button type="button" className="quiet" disabled={isTaken} onClick={() => void take()}>
        {isTaken ? TEXT.tap.taken : TEXT.tap.asSample}
      </button>
    </>
  )
}
