import { type KeyboardEvent, type PointerEvent, useState } from 'react'

/** Places of the first and the last chosen bar. */
export type ChosenBars = readonly [first: number, last: number]

/**
 * Bars of a chart that a pointer or the arrow keys choose; Shift, or dragging, chooses several.
 *
 * @param bars number of bars
 * @param onTake called with the chosen bars by Enter, or when the pointer is released
 */
export function useChosenBars(bars: number, onTake: (chosen: ChosenBars) => void) {
  const [cursor, setCursor] = useState<number>()
  const [anchor, setAnchor] = useState<number>()
  const chosen: ChosenBars | undefined =
    cursor === undefined
      ? undefined
      : [Math.min(cursor, anchor ?? cursor), Math.max(cursor, anchor ?? cursor)]
  const within = (at: number) => Math.max(0, Math.min(bars - 1, at))
  const giveUp = () => {
    setAnchor(undefined)
    setCursor(undefined)
  }
  const take = () => {
    if (chosen === undefined) return
    giveUp()
    onTake(chosen)
  }
  const barAt = ({ currentTarget, clientX }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return within(Math.floor(((clientX - left) / width) * bars))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const from = cursor ?? (step > 0 ? -1 : bars)
      if (event.shiftKey && anchor === undefined) setAnchor(within(from))
      if (!event.shiftKey) setAnchor(undefined)
      setCursor(within(from + step))
    }
    if (event.key === 'Enter') take()
    if (event.key === 'Escape') giveUp()
  }
  const handlers = {
    onKeyDown,
    onBlur: giveUp,
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      setAnchor(barAt(event))
      setCursor(barAt(event))
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => setCursor(barAt(event)),
    onPointerUp: take,
    onPointerLeave: () => {
      if (anchor === undefined) setCursor(undefined)
    },
  }
  return { chosen, handlers }
}
