/** Calls of scripts in this process since its start, in all replays, too. They are for metrics, and have no effect. */
export const scriptCalls = {
  /** Most steps that one call took. */
  mostSteps: 0,

  note(steps: number): void {
    if (steps > this.mostSteps) this.mostSteps = steps
  },
}
