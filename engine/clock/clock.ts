/** The only source of time. The engine decides nothing by it: decisions depend on log time. */
export interface Clock {
  /** UNIX milliseconds of the system clock; may jump in either direction. */
  wallMs(): number
  /** Milliseconds since some start; never steps back. */
  monotonicMs(): number
  /** Resolves after `ms`; earlier, without an error, when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
