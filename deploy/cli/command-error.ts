/** What the exit code of a command tells a script. */
export const EXIT = {
  /** All done. */
  done: 0,
  /** Done, but some lines were refused, nothing was found where that counts as failure, or the store is not right. */
  partly: 1,
  /** The command, or what it asked the service for, was not right. */
  usage: 2,
  /** The service cannot be reached, or does not let the caller in. */
  unreachable: 3,
  /** Ended by SIGINT before all was done, as shells report it. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Ends a command with a sentence for people, which says what to do, and an exit code for scripts. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.exitCode = exitCode
  }
}
