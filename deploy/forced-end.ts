/**
 * Ends this process at once, as a kill does. With the embedded engine it is a kill: the engine's exit handlers wait for running
 * statements, or crash beside them, so `process.exit` took as long as the longest statement or ended with SIGSEGV.
 *
 * @param holdsEngine whether this process has opened the embedded engine
 */
export function endAtOnce(holdsEngine: boolean): void {
  if (holdsEngine) process.kill(process.pid, 'SIGKILL')
  else process.exit(1)
}
