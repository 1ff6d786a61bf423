import type { Patch } from '../simulation/guards.ts'
import { switchOff } from '../simulation/switched-off.ts'

/** Loaded into a process before the program itself (`--import`): the guard that SWITCHED_OFF tells of, JSON, is off. */
switchOff(JSON.parse(process.env.SWITCHED_OFF ?? '[]') as Patch[])
