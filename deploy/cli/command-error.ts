/** Exit codes of commands, for scripts. */
export const EXIT = {
  /** Success. */
  done: 0,
  /** Done, but some lines were refused, nothing was found where that counts as failure, or the store has errors. */
  partly: 1,
  /** The command line, or the request to the service, was not valid. */
  usage: 2,
  /** The service is unreachable, or refuses the caller. */
  unreachable: 3,
  /** Ended early by SIGINT, with the exit code that shells use for it. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Ends a command with a sentence that states the remedy, and an exit code for scripts. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.exitCode = exitCode
  }
}
