/** Kinds of levels, which have a colour. The word is always beside it. */
export type LevelKind = 'error' | 'warning' | 'info' | 'debug' | 'other'

const KINDS: readonly (readonly [RegExp, LevelKind])[] = [
  [/^(fatal|emerg|alert|crit|err|severe|panic)/i, 'error'],
  [/^(warn|notice)/i, 'warning'],
  [/^info/i, 'info'],
  [/^(debug|trace|verbose|fine)/i, 'debug'],
]

export function levelKind(level: string): LevelKind {
  return KINDS.find(([pattern]) => pattern.test(level))?.[1] ?? 'other'
}
