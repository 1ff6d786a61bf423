import type { Patch } from '../simulation/guards.ts'

/** Ends the program at an instant of the next write of the configuration, once the file that KILL_AT names is there. */
const KILL =
  "if (process.getBuiltinModule('node:fs').existsSync(process.env.KILL_AT)) process.kill(process.pid, 'SIGKILL')\n"
const LOG = 'engine/configuration/configuration-log.ts'
/** Instants of a write of the configuration, a patch that ends the program there, and whether the change is there afterwards. */
export const WRITE_INSTANTS: readonly (readonly [instant: string, patch: Patch, isThere: boolean])[] = [
  [
    'before the event is durable',
    {
      file: LOG,
      find: '    this.#awaited.set(event.id, awaited)\n',
      replace: `    ${KILL}    this.#awaited.set(event.id, awaited)\n`,
    },
    false,
  ],
  [
    'between the event and its mark',
    {
      file: LOG,
      find: '    const mark = this.endMark\n',
      replace: `    ${KILL}    const mark = this.endMark\n`,
    },
    true,
  ],
  [
    'between the mark and the answer',
    {
      file: LOG,
      find: 'if (mark !== undefined) await this.#keeper?.reach(mark)\n',
      replace: `if (mark !== undefined) await this.#keeper?.reach(mark)\n    ${KILL}`,
    },
    true,
  ],
]
