import { Panel, useReactFlow } from '@xyflow/react'
import { Maximize, Minus, Plus } from 'lucide-react'
import { TEXT } from '../texts.ts'
import style from './graph.module.css'
import { FIT } from './use-fitting.ts'

/** @param onMoved called with whether the picture is no longer fitted */
export function ZoomButtons({ onMoved }: { readonly onMoved: (isMoved: boolean) => void }) {
  const flow = useReactFlow()
  const buttons = [
    { label: TEXT.zoomOut, Icon: Minus, isMove: true, act: () => flow.zoomOut() },
    { label: TEXT.zoomIn, Icon: Plus, isMove: true, act: () => flow.zoomIn() },
    { label: TEXT.fit, Icon: Maximize, isMove: false, act: () => flow.fitView(FIT) },
  ]
  return (
    <Panel position="bottom-left" className={style.zoom}>
      {buttons.map(({ label, Icon, isMove, act }) => (
        <button
          key={label}
          type="button"
          className="quiet icon"
          aria-label={label}
          onClick={() => {
            onMoved(isMove)
            void act()
          }}
        >
          <Icon size={15} aria-hidden />
        </button>
      ))}
    </Panel>
  )
}
