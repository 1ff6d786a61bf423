import { WORD_MEMBERS, type WordMember } from '../lines/columns/line-batch-view.ts'
import { parseFieldPath } from './field-path.ts'

export type { WordMember, WordsByLine } from '../lines/columns/line-batch-view.ts'

/** The member of untouched log lines to which a field path leads; undefined: the path leads elsewhere. */
export function wordMemberAt(path: string): WordMember | undefined {
  const { root, segments } = parseFieldPath(path) ?? {}
  return root === 'message' && segments?.length === 1
    ? WORD_MEMBERS.find(member => member === segments[0])
    : undefined
}
