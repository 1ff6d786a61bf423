import { startChild } from '../child.ts'
import { reapProcess, temporaryFolder } from './reaper.ts'

/** Starts a process, makes a folder, says which, and stays; with `end` it ends without tidying up. */
const folder = temporaryFolder('weir-reaped-')
const { process: started } = startChild(['--eval', 'setInterval(() => {}, 60_000)'])
reapProcess(started)
console.log(`started ${started.pid} ${folder.path}`)
if (process.argv[2] === 'end') process.exit()
