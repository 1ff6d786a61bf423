import { type FileNode, isJsonObject } from './file.ts'

/** An output of a node. */
export interface Output {
  /** Name in `inputs` of other nodes. */
  readonly reference: string
  /** Label for people; undefined for the only output of a node. */
  readonly label: string | undefined
}

const UNMATCHED = '_unmatched'

/** Options that name the outputs of a type, and the member that is the label where none is given. */
const NAMED: Readonly<Record<string, { readonly list: string; readonly otherwise?: string }>> = {
  route: { list: 'conditionals' },
  'parse-sequentially': { list: 'parsers', otherwise: 'parser' },
}

/** Outputs of a node that is not a destination, in the order in which the server lists them. */
export function outputsOf({ name, type, config = {} }: FileNode): readonly Output[] {
  const named = NAMED[type]
  if (named === undefined) return [{ reference: name, label: undefined }]
  const entries = config[named.list]
  const labels = (Array.isArray(entries) ? entries.filter(isJsonObject) : []).map(entry =>
    String(entry.label || (named.otherwise && entry[named.otherwise]) || ''),
  )
  const counts = new Map<string, number>()
  const taken = new Set([UNMATCHED])
  const words = labels.map(label => {
    let count = counts.get(label) ?? 1
    const word = () => (count === 1 ? label : `${label} (${count})`)
    while (taken.has(word())) count++
    counts.set(label, count)
    taken.add(word())
    return word()
  })
  return [
    { reference: `${name}.${UNMATCHED}`, label: 'Unmatched' },
    ...words.map(word => ({ reference: `${name}.${word}`, label: word })),
  ]
}
