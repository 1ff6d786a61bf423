import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Credentials, DataDirectory, DataDirectoryError } from './data-directory.ts'
import { SettingsError } from './settings/settings.ts'

const CREDENTIALS: Credentials = {
  apiUrl: '',
  ingestUrl: '',
  accountId: 'a1b2c3d4e5',
  accessToken: 'sts_x',
  enterpriseAccessToken: 'ste_x',
  ingestionKey: 'ik',
  serviceKey: 'sk',
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-data-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function refusal(task: () => unknown): string {
  try {
    task()
  } catch (error) {
    if (error instanceof DataDirectoryError || error instanceof SettingsError) return error.message
    throw error
  }
  throw new Error('nothing was refused')
}

describe('a data folder that others on the machine could read', () => {
  const modeOf = (...path: string[]) => statSync(join(folder, ...path)).mode & 0o777

  function openToAll(): void {
    DataDirectory.open(folder).close()
    mkdirSync(join(folder, 'log', 'weir.ingest', '0'), { recursive: true })
    writeFileSync(join(folder, 'log', 'weir.ingest', '0', '00000000.log'), 'lines')
    mkdirSync(join(folder, 'store'))
    symlinkSync('/etc', join(folder, 'store', 'elsewhere'))
    for (const path of ['log', 'log/weir.ingest', 'log/weir.ingest/0', 'store'])
      chmodSync(join(folder, path), 0o755)
    for (const path of ['log/weir.ingest/0/00000000.log', 'lock', 'format.json'])
      chmodSync(join(folder, path), 0o644)
  }

  test('is closed to them at the next start, with everything below it', () => {
    openToAll()
    chmodSync(folder, 0o755)
    DataDirectory.open(folder).close()
    expect(['', 'log', 'log/weir.ingest', 'log/weir.ingest/0', 'store'].map(path => modeOf(path))).toEqual(
      Array(5).fill(0o700),
    )
    const files = ['log/weir.ingest/0/00000000.log', 'lock', 'format.json', 'owner.json']
    expect(files.map(path => modeOf(path))).toEqual(Array(4).fill(0o600))
    expect(statSync('/etc').mode & 0o777).toBe(0o755)
  })

  test('gets only files that are closed to them, including those of the engine', () => {
    const mask = process.umask(0o022)
    try {
      DataDirectory.open(folder).close()
      mkdirSync(join(folder, 'store', 'parts'), { recursive: true })
      writeFileSync(join(folder, 'store', 'parts', 'data.bin'), 'lines')
      expect([modeOf('store', 'parts'), modeOf('store', 'parts', 'data.bin')]).toEqual([0o700, 0o600])
    } finally {
      process.umask(mask)
    }
  })

  test('stays as it is if it contains foreign files, and so do these', () => {
    openToAll()
    mkdirSync(join(folder, 'photographs'))
    chmodSync(join(folder, 'photographs'), 0o755)
    chmodSync(folder, 0o755)
    DataDirectory.open(folder).close()
    expect([modeOf(''), modeOf('photographs'), modeOf('log')]).toEqual([0o755, 0o755, 0o700])
  })
})

describe('taking the folder', () => {
  test('folders above it are created, only for their owner', () => {
    const path = join(folder, 'a', 'b')
    DataDirectory.open(path).close()
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700)
    expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  test('a path that is a file, or that leads through one, is refused by name', () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    for (const path of [file, join(file, 'below')])
      expect(refusal(() => DataDirectory.open(path))).toBe(
        `WEIR_DATA_DIR: cannot create ${path}: ${file} is a file, not a folder`,
      )
  })

  test('a lock that cannot be opened or written is reported as a folder that cannot be written', () => {
    mkdirSync(join(folder, 'lock'))
    const message = refusal(() => DataDirectory.open(folder))
    expect(message).toContain(`the data folder ${folder} cannot be written (unable to open database file)`)
    expect(message).toContain('WEIR_DATA_DIR')
  })

  test('a file in it that cannot be written is reported in the same way, and the lock is released', () => {
    mkdirSync(join(folder, 'owner.json.new'))
    expect(refusal(() => DataDirectory.open(folder))).toContain(`the data folder ${folder} cannot be written`)
    rmSync(join(folder, 'owner.json.new'), { recursive: true })
    DataDirectory.open(folder).close()
  })

  test('a start raises the format, so that an older program refuses the folder', () => {
    const path = join(folder, 'format.json')
    writeFileSync(path, '{"format":1}')
    DataDirectory.open(folder).close()
    expect(readFileSync(path, 'utf8')).toBe('{"format":2}')
    writeFileSync(path, '{"format":3}')
    expect(refusal(() => DataDirectory.open(folder))).toBe(
      `the data folder ${folder} has format 3, but this program supports 2: start the newer program`,
    )
    expect(readFileSync(path, 'utf8')).toBe('{"format":3}')
    writeFileSync(path, '{"format":2}')
    DataDirectory.open(folder).close()
  })

  test.each(['', '{"format":', 'null', '{}', '{"format":"1"}', '{"format":0}'])(
    'a format.json that contains %j is damaged, and the lock is released',
    text => {
      const path = join(folder, 'format.json')
      writeFileSync(path, text)
      expect(refusal(() => DataDirectory.open(folder))).toMatch(
        new RegExp(`^${path} is damaged .*: restore the file from a backup$`),
      )
      rmSync(path)
      DataDirectory.open(folder).close()
    },
  )
})

describe('the credentials', () => {
  let directory: DataDirectory
  beforeEach(() => {
    directory = DataDirectory.open(folder)
  })
  afterEach(() => directory.close())

  test('a written file can be read, and a missing file is not an error', () => {
    expect(directory.readCredentials()).toBeUndefined()
    directory.writeCredentials(CREDENTIALS)
    expect(directory.readCredentials()).toEqual(CREDENTIALS)
  })

  test.each(['', '{"accountId":', '[]', '7', JSON.stringify({ ...CREDENTIALS, serviceKey: '' })])(
    'a file that holds %j is damaged',
    text => {
      const path = join(folder, 'credentials.json')
      writeFileSync(path, text)
      const message = refusal(() => directory.readCredentials())
      expect(message).toContain(`${path} is damaged`)
      expect(message).toContain('restore the file from a backup')
    },
  )

  test('a folder in the place of the file gives a sentence that names it', () => {
    mkdirSync(join(folder, 'credentials.json'))
    expect(refusal(() => directory.readCredentials())).toContain(
      `${join(folder, 'credentials.json')} cannot be read`,
    )
  })
})

describe('a folder during a restore', () => {
  const target = () => join(folder, 'data')

  test('is refused by a start until the restore is finished, and accepted afterwards', () => {
    const restoring = DataDirectory.openEmpty(target())
    writeFileSync(join(target(), 'format.json'), '{"format":1}')
    restoring.close()
    expect(() => DataDirectory.open(target())).toThrow(
      /is partly restored: empty it and run "weir restore" again/,
    )
    expect(() => DataDirectory.openEmpty(target())).toThrow(/is partly restored/)
    rmSync(target(), { recursive: true })
    const again = DataDirectory.openEmpty(target())
    again.finishRestore()
    again.close()
    DataDirectory.open(target()).close()
  })

  test('is empty again when the restore fails', () => {
    mkdirSync(join(target(), 'lost+found'), { recursive: true })
    const restoring = DataDirectory.openEmpty(target())
    mkdirSync(join(target(), 'log', 'weir.ingest'), { recursive: true })
    restoring.abandonRestore()
    restoring.close()
    expect(readdirSync(target())).toEqual(['lost+found'])
    DataDirectory.openEmpty(target()).close()
  })

  test('must be empty, and must not be in use', () => {
    const owner = DataDirectory.open(target())
    expect(() => DataDirectory.openEmpty(target())).toThrow(
      /is in use by process \d+ since .*: stop it first/,
    )
    owner.close()
    expect(() => DataDirectory.openEmpty(target())).toThrow(
      /is not empty \(it has format.json, lock, owner.json\)/,
    )
  })
})
