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

/** Exit code 3 as every help describes it. */
export const UNREACHABLE = 'service unreachable or caller refused'

/** The codes for people, in the help and in docs/operations.md. */
export const EXIT_CODES: readonly {
  readonly code: ExitCode
  readonly summary: string
  readonly meaning: string
}[] = [
  { code: EXIT.done, summary: 'success', meaning: 'Success.' },
  {
    code: EXIT.partly,
    summary: 'done with a negative result',
    meaning:
      'Done, but some lines were refused, or the result is negative: `search --fail-if-none` or `explain` found nothing, a partition has no worker ' +
      '(`status`), something is wrong (`doctor`, `health`), the store differs (`verify`), there are differences (`pipeline diff`), a test failed ' +
      '(`pipeline test`), the answer to a question was no.',
  },
  {
    code: EXIT.usage,
    summary: 'wrong usage or request',
    meaning:
      'The command line is wrong, or the service refuses the request: 400, 404, 409, 413 and other 4xx.',
  },
  {
    code: EXIT.unreachable,
    summary: UNREACHABLE,
    meaning:
      'The service is unreachable, its certificate is not trusted, it is not able to answer (5xx, 429), or it does not accept the credential (401, 403).',
  },
  { code: EXIT.interrupted, summary: 'interrupted', meaning: 'Interrupted before the end.' },
]

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
