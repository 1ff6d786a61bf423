/** Parts of the state of an account that do not belong to a node. */
export type AccountPart = 'names' | 'keys' | 'expressions' | 'spread' | 'deadLetters'

/** Names one state of a checkpoint; the shapes are described in avro/named-states-checkpoint.1.avsc. */
export type StateHolder =
  | { readonly 'weir.PendingMinute': { readonly startMs: number } }
  | { readonly 'weir.AccountPart': { readonly account: string; readonly part: AccountPart } }
  | { readonly 'weir.RetiringRevision': RetiringRevisionName }
  | { readonly 'weir.NodeMemory': NodeMemoryName }

export interface RetiringRevisionName {
  readonly account: string
  readonly pipeline: string
  readonly version: number
  readonly replacedMs: number
}

export interface NodeMemoryName {
  readonly account: string
  readonly pipeline: string
  readonly node: string
  /** Version of the newest revision that shares the memory; null: the one in effect. */
  readonly version: number | null
}

/** Before the sixth behaviour a state was named by words between blanks: the first word by the part. */
const WORD_OF_PART: Readonly<Record<AccountPart, string>> = {
  names: 'names',
  keys: 'keys',
  expressions: 'expressions',
  spread: 'spread',
  deadLetters: 'dead-letters',
}

/** The words that name a state in a checkpoint of an earlier behaviour. */
export function wordsOfHolder(holder: StateHolder): string {
  if ('weir.PendingMinute' in holder) return `pending ${holder['weir.PendingMinute'].startMs}`
  if ('weir.AccountPart' in holder) {
    const { account, part } = holder['weir.AccountPart']
    return `${WORD_OF_PART[part]} ${account}`
  }
  if ('weir.RetiringRevision' in holder) {
    const { account, pipeline, version, replacedMs } = holder['weir.RetiringRevision']
    return `revision ${account} ${pipeline} ${version} ${replacedMs}`
  }
  const { account, pipeline, node, version } = holder['weir.NodeMemory']
  return `node ${account} ${pipeline} ${node}${version === null ? '' : ` ${version}`}`
}

/** @returns undefined for words that no program has written */
export function holderOfWords(words: string): StateHolder | undefined {
  const [kind, first = '', pipeline = '', third = '', fourth] = words.split(' ')
  if (kind === 'pending') return { 'weir.PendingMinute': { startMs: Number(first) } }
  if (kind === 'revision') {
    const name = { account: first, pipeline, version: Number(third), replacedMs: Number(fourth) }
    return { 'weir.RetiringRevision': name }
  }
  if (kind === 'node') {
    const version = fourth === undefined ? null : Number(fourth)
    return { 'weir.NodeMemory': { account: first, pipeline, node: third, version } }
  }
  const part = (Object.keys(WORD_OF_PART) as AccountPart[]).find(each => WORD_OF_PART[each] === kind)
  return part && { 'weir.AccountPart': { account: first, part } }
}
