/** Declaration of a setting: name, meaning, default, and the reader of its text. */
export interface Declaration<T> {
  readonly name: string
  readonly summary: string
  readonly read: (text: string) => T
  /** Value when it is not set. */
  readonly fallback: T
  readonly secret?: boolean
}

/** Values of declared settings. */
export type SettingsOf<Declarations> = {
  readonly [Name in keyof Declarations]: Declarations[Name] extends Declaration<infer T> ? T : never
}

export function setting<T>(
  name: string,
  summary: string,
  read: (text: string) => T,
  fallback: T,
  options: { secret?: boolean } = {},
): Declaration<T> {
  return { name, summary, read, fallback, ...options }
}
