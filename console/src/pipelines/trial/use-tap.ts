import { useEffect, useState } from 'react'
import { socketUrl } from '../../api/sockets.ts'
import type { TapMessage } from '../requests.ts'
import { TEXT } from '../texts.ts'

const MAX_HELD = 200
/** A tap of a tab that nobody looks at is closed. */
const HIDDEN_MS = 600_000

export type TapEvent = Extract<TapMessage, { type: 'event' }>

/** A row of a tap: an event, or a sentence about the tap. */
export interface TapRow {
  readonly number: number
  readonly event?: TapEvent
  readonly note?: string
}

export interface Tap {
  readonly rows: readonly TapRow[]
  readonly isOpen: boolean
}

/** Events of a node of the deployed pipeline while `isOn`; the newest last. */
export function useTap(path: string, isOn: boolean, onEnd: () => void): Tap {
  const [rows, setRows] = useState<readonly TapRow[]>([])
  const [isOpen, setOpen] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end is told once
  useEffect(() => {
    if (!isOn) return
    let number = 0
    let isEnded = false
    let waiting: TapRow[] = []
    let frame = 0
    setRows([])
    const flush = () => {
      frame = 0
      const added = waiting
      waiting = []
      setRows(before => [...before, ...added].slice(-MAX_HELD))
    }
    const add = (row: Omit<TapRow, 'number'>) => {
      waiting.push({ number: number++, ...row })
      if (frame === 0) frame = requestAnimationFrame(flush)
    }
    const socket = new WebSocket(socketUrl(path))
    socket.onopen = () => setOpen(true)
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data)) as TapMessage
      if (message.type === 'event') return add({ event: message })
      if (message.type === 'end') isEnded = true
      add({ note: noteOf(message) })
    }
    socket.onclose = () => {
      setOpen(false)
      if (!isEnded) add({ note: TEXT.tap.lost })
      onEnd()
    }
    let hidden: ReturnType<typeof setTimeout> | undefined
    const onVisibility = () => {
      clearTimeout(hidden)
      if (document.hidden) hidden = setTimeout(() => socket.close(), HIDDEN_MS)
    }
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      clearTimeout(hidden)
      cancelAnimationFrame(frame)
      socket.onclose = null
      socket.close()
      setOpen(false)
    }
  }, [path, isOn])
  return { rows, isOpen }
}

function noteOf(message: Exclude<TapMessage, TapEvent>): string {
  if (message.type === 'end') return message.message
  if (message.type === 'skipped') return TEXT.tap.skipped(String(message.count))
  return message.revision === null ? TEXT.tap.nothingRuns : TEXT.tap.revision(message.revision)
}
