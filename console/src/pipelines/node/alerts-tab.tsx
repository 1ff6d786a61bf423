import type { FileAlert } from '../document/file.ts'
import { TEXT } from '../texts.ts'
import style from './node.module.css'

const INDENT = 2

/** Alerts of a node as they are kept. This version does not act on them. */
export default function AlertsTab({ alerts }: { readonly alerts: readonly FileAlert[] }) {
  return (
    <div className={style.shown}>
      <p className="soft">{TEXT.alertsWhy}</p>
      {alerts.map((alert, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: alerts are known by their place in the document
        <pre key={index}>{JSON.stringify(alert, null, INDENT)}</pre>
      ))}
    </div>
  )
}
