/** The built web console, as a process has it. */
export interface ConsoleFiles {
  /** Absolute path of the folder with `index.html` and `assets`; it may not exist yet. */
  readonly folder: string
  /** Why there is nothing to serve, as a sentence for users; undefined when the files can be served. */
  whyNot(): ConsoleTrouble | undefined
}

export interface ConsoleTrouble {
  readonly sentence: string
  /** Whether it passes by itself within seconds. */
  readonly passes: boolean
}
