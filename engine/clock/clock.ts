/** The only source of time. Nothing in the engine decides by it: decisions go by log time. */
export interface Clock {
  /** UNIX milliseconds, as the machine believes; may jump in either direction. */
  wallMs(): number
  /** Milliseconds since some start; never steps back. */
  monotonicMs(): number
  /** Resolves after `ms`; earlier, without an error, when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
