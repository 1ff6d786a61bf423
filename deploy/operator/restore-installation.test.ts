import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeManifest } from './backup-manifest.ts'
import { restore } from './restore-installation.ts'

const MIB = 1024 * 1024
const MANIFEST = { version: '0', madeAt: '2026-01-31T00:00:00.000Z', logId: 'log', partitions: 1 }
const options = { signal: new AbortController().signal, report: () => {} }

let backup: string
let disk: string

beforeEach(() => {
  backup = mkdtempSync(join(tmpdir(), 'weir-small-backup-'))
  disk = mkdtempSync(join(tmpdir(), 'weir-small-disk-'))
})
afterEach(() => {
  for (const folder of [backup, disk]) rmSync(folder, { recursive: true })
})

function backUp(bytes: Buffer, tellsBytes = bytes.length): void {
  writeFileSync(join(backup, 'secret.key'), bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const files = [{ path: 'secret.key', bytes: tellsBytes, sha256 }]
  writeManifest(backup, { ...MANIFEST, hasSecretKey: true, files })
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'weir-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs a task while the folder is a separate file system of that size. */
async function onDisk(bytes: number, task: () => Promise<void>): Promise<void> {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', disk])
  try {
    await task()
  } finally {
    execFileSync('umount', [disk])
  }
}

/** Changes a file of the backup. */
function rewrite(name: string, change: (text: string) => string): void {
  const path = join(backup, name)
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

test('a backup is restored byte for byte, and a folder that is not empty is refused', async () => {
  backUp(Buffer.from('key'))
  await restore(backup, disk, options)
  expect(readFileSync(join(disk, 'secret.key'), 'utf8')).toBe('key')
  await expect(restore(backup, disk, options)).rejects.toThrow('is not empty')
})

test.each<[string, () => void, string]>([
  [
    'another content',
    () => rewrite('secret.key', () => 'kez'),
    'is damaged (secret.key has another content)',
  ],
  ['too few bytes', () => rewrite('secret.key', () => 'k'), 'secret.key has 1 bytes instead of 3'],
  ['a missing file', () => rmSync(join(backup, 'secret.key')), 'secret.key is missing'],
  ['an unfinished backup', () => rmSync(join(backup, 'backup.json')), 'it has no backup.json'],
  [
    'a newer program',
    () => rewrite('backup.json', text => text.replace('"format":1', '"format":2')),
    'restore with the newer program',
  ],
  [
    'half a description',
    () => rewrite('backup.json', text => text.slice(0, -9)),
    'backup.json is damaged: restore from another backup',
  ],
  [
    'a place elsewhere',
    () => rewrite('backup.json', text => text.replace('"secret.key"', '"../secret.key"')),
    'names ../secret.key, which is outside of the backup',
  ],
])('%s: nothing is restored', async (_name, damage, sentence) => {
  backUp(Buffer.from('key'))
  damage()
  await expect(restore(backup, disk, options)).rejects.toThrow(sentence)
  expect(readdirSync(disk)).toEqual([])
})

test('a file that changes between the check and the copy is noticed, and the folder is emptied', async () => {
  backUp(Buffer.from('key'))
  const report = ({ type }: { type: string }) => type === 'copied' && rewrite('secret.key', () => 'kez')
  await expect(restore(backup, disk, { ...options, report })).rejects.toThrow(
    'secret.key changed while it was restored: restore again',
  )
  expect(readdirSync(disk)).toEqual([])
})

test('a backup that is larger than the free space is refused before anything is copied, and the folder stays empty', async () => {
  const { bavail, bsize } = statfsSync(disk)
  backUp(Buffer.from('key'), (bavail + 1_000_000) * bsize)
  await expect(restore(backup, disk, options)).rejects.toThrow(
    /^\d+ bytes do not fit into .*: \d+ are free\. Nothing was restored: restore to a larger disk \(WEIR_DATA_DIR\)$/,
  )
  expect(readdirSync(disk)).toEqual([])
})

test.skipIf(!canMount())('free space for only the bytes of the files is not enough', async () => {
  backUp(Buffer.alloc(2 * MIB))
  await onDisk(17 * MIB, async () => {
    await expect(restore(backup, disk, options)).rejects.toThrow('2097152 bytes do not fit into')
    expect(readdirSync(disk)).toEqual([])
  })
  await onDisk(19 * MIB, async () => {
    await restore(backup, disk, options)
    expect(readdirSync(disk)).toContain('secret.key')
  })
})

test.skipIf(!canMount())(
  'a disk that becomes full during the copy is named, and the folder is emptied',
  async () => {
    backUp(Buffer.alloc(2 * MIB))
    await onDisk(19 * MIB, async () => {
      const fill = () => writeFileSync(join(disk, 'lost+found'), Buffer.alloc(18 * MIB))
      const filling = { ...options, report: ({ type }: { type: string }) => type === 'copied' && fill() }
      await expect(restore(backup, disk, filling)).rejects.toThrow(
        `the disk of ${disk} is full. Nothing was restored: restore to a larger disk`,
      )
      expect(readdirSync(disk)).toEqual(['lost+found'])
    })
  },
)

test.skipIf(!canMount())(
  'a disk without a free byte is named, and a restore can begin once it has space',
  async () => {
    backUp(Buffer.from('key'))
    await onDisk(20 * MIB, async () => {
      const filler = join(disk, 'lost+found')
      expect(() => writeFileSync(filler, Buffer.alloc(21 * MIB))).toThrow('ENOSPC')
      await expect(restore(backup, disk, options)).rejects.toThrow('the disk of the data folder')
      rmSync(filler)
      await restore(backup, disk, options)
      expect(readdirSync(disk)).toContain('secret.key')
    })
  },
)
