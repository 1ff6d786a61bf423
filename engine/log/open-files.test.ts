import { expect, test } from 'vitest'
import { SimulatedFiles } from '../../test/support/simulated-files.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import type { OpenFile } from './file-operations.ts'
import { OpenFiles } from './open-files.ts'

/** Test files that record which of them are open. */
async function bench(limit: number) {
  const operations = new SimulatedFiles(seededEntropy(1))
  const open: string[] = []
  await operations.makeDirectory('/data')
  for (const name of ['a', 'b', 'c']) await operations.open(`/data/${name}`, 'create')
  const original = operations.open.bind(operations)
  operations.open = async (path, mode): Promise<OpenFile> => {
    const file = await original(path, mode)
    open.push(path)
    const close = async () => {
      open.splice(open.indexOf(path), 1)
    }
    return { ...file, close }
  }
  const files = new OpenFiles(operations, limit)
  return { files, open, operations, use: (name: string) => files.use(`/data/${name}`, file => file.size()) }
}

test('a file stays open between uses, and the least recently used one is closed beyond the limit', async () => {
  const { open, operations, use } = await bench(2)
  for (const name of ['a', 'b', 'a', 'c']) await use(name)
  expect(open).toEqual(['/data/a', '/data/c'])
  expect(operations.count('open')).toBe(3)
})

test('a file that is forgotten while it is read stays open until the read ends', async () => {
  const { files, open } = await bench(2)
  await files.use('/data/a', async file => {
    await files.forget('/data/a')
    expect(open).toEqual(['/data/a'])
    expect(await file.size()).toBe(0)
  })
  expect(open).toEqual([])
})

test('a file whose read failed is opened again', async () => {
  const { files, open, use } = await bench(2)
  await expect(files.use('/data/a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(open).toEqual([])
  await use('a')
  expect(open).toEqual(['/data/a'])
})

test('a file that cannot be opened is tried again the next time', async () => {
  const { operations, use } = await bench(2)
  operations.fail = () => 'EMFILE'
  await expect(use('a')).rejects.toMatchObject({ code: 'EMFILE' })
  operations.fail = () => undefined
  expect(await use('a')).toBe(0)
})

test('closing closes all files', async () => {
  const { files, open, use } = await bench(5)
  for (const name of ['a', 'b', 'c']) await use(name)
  await files.close()
  expect(open).toEqual([])
})
