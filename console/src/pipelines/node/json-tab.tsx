import { isJsonObject, type JsonObject } from '../document/file.ts'
import type { PlacedNode } from '../document/nodes.ts'
import { JsonEditor } from '../form/json-field.tsx'
import { TEXT } from '../texts.ts'

const LINES = 16

/** Options of a node as JSON, in both directions. */
export default function JsonTab({
  placed: { node },
  onChange,
}: {
  readonly placed: PlacedNode
  readonly onChange: (config: JsonObject) => void
}) {
  return (
    <JsonEditor
      label={TEXT.optionsJson}
      value={node.config ?? {}}
      lines={LINES}
      onChange={value => onChange(isJsonObject(value) ? value : {})}
    />
  )
}
