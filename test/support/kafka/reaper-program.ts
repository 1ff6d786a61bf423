import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** Reads "+process ID", "+folder PATH" and the same with a minus; at the end of its input it ends and removes them. */
const processes = new Set<string>()
const folders = new Set<string>()

for await (const line of createInterface({ input: process.stdin })) {
  const [, sign, kind, name] = line.match(/^([+-])(process|folder) (.+)$/) ?? []
  if (name === undefined) continue
  const known = kind === 'process' ? processes : folders
  if (sign === '+') known.add(name)
  else known.delete(name)
}

for (const id of processes) {
  try {
    process.kill(Number(id), 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
for (const path of folders) rmSync(path, { recursive: true, force: true, maxRetries: 20 })
