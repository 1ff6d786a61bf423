import { spawnSync } from 'node:child_process'
import { type Child, startChild } from '../child.ts'
import { reapProcess } from './reaper.ts'

const OLDEST_JAVA = 17
const SMALL = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto']

/** @returns the output of `java -version` @throws a sentence with the reason why this machine's Java is not suitable */
export function javaVersion(): string {
  const { stderr, status } = spawnSync('java', ['-version'], { encoding: 'utf8' })
  if (status !== 0) throw new Error('there is no Java (no program "java" on the PATH)')
  const major = Number(stderr.match(/version "(\d+)/)?.[1])
  if (major >= OLDEST_JAVA) return stderr
  throw new Error(`Java is too old: ${stderr.split('\n')[0]}; it takes ${OLDEST_JAVA} or newer`)
}

/** Starts a program that ends with this process. */
export function startJava(memoryMb: number, args: readonly string[]): Child {
  const child = startChild([`-Xmx${memoryMb}m`, ...SMALL, ...args], 'java')
  reapProcess(child.process)
  return child
}

/** @returns the line by which it says that it is ready @throws with its last lines when it ends before */
export async function readyLine(child: Child, ready: RegExp): Promise<string> {
  const lines: string[] = []
  for (;;) {
    const line = await child.line(/./)
    if (line === null) throw new Error(`java has ended before it was ready:\n${lines.slice(-20).join('\n')}`)
    lines.push(line)
    if (ready.test(line)) return line
  }
}
