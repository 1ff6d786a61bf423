import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportedLines } from '../support/exported-lines.ts'
import { RunningWeir } from '../support/running-weir.ts'

/** Paths and modes of entries that other users than the owner can access. */
function openToOthers(folder: string): string[] {
  return ['', ...(readdirSync(folder, { recursive: true }) as string[])].flatMap(name => {
    // The engine takes files away while we look.
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false })
    if (stat === undefined || stat.isSymbolicLink() || (stat.mode & 0o077) === 0) return []
    return [`${name} ${(stat.mode & 0o777).toString(8)}`]
  })
}

test('other users of the machine cannot read log and store, even in a folder of an older program', async () => {
  const weir = await RunningWeir.start()
  try {
    const send = async (line: string) => {
      const { ingestUrl, ingestionKey } = weir.credentials
      const response = await fetch(`${ingestUrl}/logs/ingest?hostname=h`, {
        method: 'POST',
        headers: { apikey: ingestionKey },
        body: JSON.stringify({ lines: [{ line }] }),
      })
      expect(response.status).toBe(200)
      const stored = async () => (await exportedLines(weir)).map(({ _line }) => _line)
      await expect.poll(stored).toContain(line)
    }
    await send('first')
    expect(openToOthers(weir.directory)).toEqual([])
    await weir.end('SIGTERM')
    for (const name of readdirSync(weir.directory, { recursive: true }) as string[]) {
      const stat = lstatSync(join(weir.directory, name))
      if (stat.isDirectory()) chmodSync(join(weir.directory, name), 0o755)
      else if (stat.isFile()) chmodSync(join(weir.directory, name), 0o644)
    }
    await weir.start()
    await send('second')
    expect(openToOthers(weir.directory)).toEqual([])
  } finally {
    await weir.dispose()
  }
})
