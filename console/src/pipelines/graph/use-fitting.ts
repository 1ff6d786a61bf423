import { useReactFlow } from '@xyflow/react'
import { type RefObject, useCallback, useEffect, useRef } from 'react'
import { type LaidOutNode, NODE_WIDTH } from './layout.ts'

/** A graph that does not fit at the smallest scale is moved, since smaller texts cannot be read. */
export const FIT = { padding: 0.08, minZoom: 0.55, maxZoom: 1, duration: 0 }

/**
 * Fits the picture into its pane when either changes, as by the panel of a node, and shows the selected node. A picture
 * that somebody moved stays where it is, as long as its shape stays.
 *
 * @returns sets whether the picture was moved by hand
 */
export function useFitting(
  pane: RefObject<HTMLDivElement | null>,
  nodes: readonly LaidOutNode[],
  selected: string | null,
): (isMoved: boolean) => void {
  const flow = useReactFlow()
  const isMoved = useRef(false)
  const node = nodes.find(({ placed }) => placed.node.name === selected)
  const chosen = useRef(node)
  chosen.current = node
  // A changed number of nodes changes the extent of the picture.
  const shape = nodes.map(({ x, y }) => `${x},${y}`).join(' ')

  const settle = useCallback(async () => {
    if (!isMoved.current) await flow.fitView(FIT)
    const element = pane.current
    const node = chosen.current
    if (element === null || node === undefined) return
    const { x, y, zoom } = flow.getViewport()
    const left = node.x * zoom + x
    const top = node.y * zoom + y
    const isSeen =
      left >= 0 &&
      top >= 0 &&
      left + NODE_WIDTH * zoom <= element.clientWidth &&
      top + node.height * zoom <= element.clientHeight
    if (!isSeen)
      await flow.setCenter(node.x + NODE_WIDTH / 2, node.y + node.height / 2, { zoom, duration: 0 })
  }, [flow, pane])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the picture is fitted when its shape changes
  useEffect(() => {
    isMoved.current = false
    void settle()
  }, [settle, shape])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another selected node is moved into sight
  useEffect(() => void settle(), [settle, selected])
  useEffect(() => {
    if (pane.current === null) return
    const observer = new ResizeObserver(() => void settle())
    observer.observe(pane.current)
    return () => observer.disconnect()
  }, [settle, pane])
  return useCallback(moved => {
    isMoved.current = moved
  }, [])
}
