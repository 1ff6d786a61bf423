import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface ResidentMemory {
  /** All pages in memory, those of program files too. */
  readonly megabytes: number
  /** Pages that belong to no file. */
  readonly anonymousMegabytes: number
}

/** @throws where the system does not tell: Linux does */
export function residentMemory(pid: number): ResidentMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string) => {
    const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]
    if (kibibytes === undefined) throw new Error(`process ${pid} has no ${name}`)
    return (Number(kibibytes) * 1024) / 1e6
  }
  return { megabytes: megabytes('VmRSS'), anonymousMegabytes: megabytes('RssAnon') }
}

/** Processor time of all threads since the process began. @throws as the above */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field, the program's name, may hold blanks and ends with the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system] = [Number(fields[11]), Number(fields[12])]
  return (user + system) / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
}

/** Reads the memory again and again until `stop`, which gives the largest reading of each. */
export function watchMemory(pid: number): { stop(): ResidentMemory } {
  let megabytes = 0
  let anonymousMegabytes = 0
  const look = () => {
    const now = residentMemory(pid)
    megabytes = Math.max(megabytes, now.megabytes)
    anonymousMegabytes = Math.max(anonymousMegabytes, now.anonymousMegabytes)
  }
  const timer = setInterval(look, 50)
  return {
    stop() {
      clearInterval(timer)
      look()
      return { megabytes, anonymousMegabytes }
    },
  }
}
