import { expect, test } from 'vitest'
import type { StoreConnection } from './connection.ts'
import { migrate } from './migrations.ts'

/** An engine of a version, which must not be asked for anything else. */
function engineOf(version: string): StoreConnection {
  const read = async () => [{ version }]
  const command = async () => {
    throw new Error('a statement was run')
  }
  return { read, command } as unknown as StoreConnection
}

test.each(['25.8.10.7', '25.9.1', '24.12.3'])(
  'an engine of version %s is refused before anything is created',
  async version => {
    await expect(migrate(engineOf(version))).rejects.toMatchObject({
      code: 'ENGINE_TOO_OLD',
      message: expect.stringContaining(`version ${version}, 25.10 or newer is needed`),
    })
  },
)

test.each(['25.10.1', '26.3.2.1'])('an engine of version %s is accepted', async version => {
  await expect(migrate(engineOf(version))).rejects.toThrow('a statement was run')
})
