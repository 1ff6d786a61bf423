import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface ResidentMemory {
  /** All pages in memory, those of program files too. */
  readonly megabytes: number
  /** Pages that belong to no file. */
  readonly anonymousMegabytes: number
}

/** @throws where the system does not tell: Linux does */
export function residentMemory(pid: number): ResidentMemory {
  return { megabytes: megabytesOf(pid, 'VmRSS'), anonymousMegabytes: megabytesOf(pid, 'RssAnon') }
}

/** Largest resident memory since the process began. @throws as the above */
export function peakMegabytes(pid: number): number {
  return megabytesOf(pid, 'VmHWM')
}

function megabytesOf(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]
  if (kibibytes === undefined) throw new Error(`process ${pid} has no ${name}`)
  return (Number(kibibytes) * 1024) / 1e6
}

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** Processor time of all threads since the process began, those that have ended included. @throws as the above */
export function cpuSeconds(pid: number): number {
  return secondsOf(`/proc/${pid}/stat`)
}

/** Processor time of the threads that live now, by their names. @throws as the above */
export function threadSeconds(pid: number): Map<string, number> {
  const seconds = new Map<string, number>()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`
    const name = thread === String(pid) ? 'main' : readFileSync(`${folder}/comm`, 'utf8').trim()
    seconds.set(name, (seconds.get(name) ?? 0) + secondsOf(`${folder}/stat`))
  }
  return seconds
}

function secondsOf(statFile: string): number {
  const stat = readFileSync(statFile, 'utf8')
  // The second field, the program's name, may hold blanks and ends with the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
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
