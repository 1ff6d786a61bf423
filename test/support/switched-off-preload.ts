import type { Patch } from '../simulation/guards.ts'
import { switchOff } from '../simulation/switched-off.ts'

/**
 * Loaded into a process before the program itself (`--import`): switches off the guards that SWITCHED_OFF names, as JSON.
 */
switchOff(JSON.parse(process.env.SWITCHED_OFF ?? '[]') as Patch[])
