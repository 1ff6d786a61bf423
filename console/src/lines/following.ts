import { type UIEvent, useLayoutEffect, useRef } from 'react'
import type { ListRow } from './rows.ts'

/** Distance from the end within which the end counts as in sight. */
const END_PX = 8

/**
 * Keeps the end of a list in sight while rows are added. Scrolling up stops that, and nothing else: the rows in sight
 * stay where they are. Scrolling down to the end starts it again.
 *
 * @returns the listener for the list's scrolling
 */
export function useFollowing(
  list: { readonly current: HTMLElement | null },
  rows: readonly (ListRow | undefined)[],
  following: { readonly isOn: boolean; readonly set: (isOn: boolean) => void } | undefined,
): ((event: UIEvent<HTMLElement>) => void) | undefined {
  const topBefore = useRef(0)
  const isOn = following?.isOn ?? false
  // biome-ignore lint/correctness/useExhaustiveDependencies: further rows move the end
  useLayoutEffect(() => {
    const element = list.current
    if (element === null || !isOn) return
    element.scrollTop = element.scrollHeight
    topBefore.current = element.scrollTop
  }, [list, rows, isOn])
  if (following === undefined) return undefined
  return ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
    const isUp = scrollTop < topBefore.current - 1
    const isAtEnd = scrollHeight - scrollTop - clientHeight <= END_PX
    topBefore.current = scrollTop
    if (isOn && isUp && !isAtEnd) following.set(false)
    if (!isOn && isAtEnd && !isUp) following.set(true)
  }
}
