import { execFile } from 'node:child_process'
import { expect, test } from 'vitest'

const RUN = new URL('./run.ts', import.meta.url).pathname

function bench(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise(resolve => {
    execFile(process.execPath, [RUN, ...args], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

test('--json prints one document: the machine, versions, and every figure beside its floor', async () => {
  const { code, stdout, stderr } = await bench('engine', '--json')
  expect(code, stderr).toBe(0)
  const document = JSON.parse(stdout)
  expect(document.machine).toMatchObject({ cores: expect.any(Number), memoryBytes: expect.any(Number) })
  expect(document.versions).toMatchObject({
    node: process.version,
    clickhouse: expect.stringMatching(/^\d+\./),
  })
  const [{ name, figures }] = document.benchmarks
  expect([name, figures.length]).toEqual(['engine', 5])
  for (const { unit, value, worst, floor, ratio } of figures) {
    expect(unit).toBe('events/s')
    expect(worst).toBeGreaterThan(0)
    expect(value).toBeGreaterThanOrEqual(worst)
    expect(ratio).toBeCloseTo(value / floor.value)
  }
  expect(stderr).toContain('pass-through')
})

test('--help prints only the usage', async () => {
  const { code, stdout, stderr } = await bench('--help')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^usage: npm run bench.*used again by the next run\n$/s)
})

test.each([
  [['throughput'], 'there is no benchmark throughput'],
  [['search', '--lines', '40000001'], '--lines must be a whole number from 10,000 to 40,000,000'],
  [['search', '--lines', '9999'], '--lines must be a whole number from 10,000 to 40,000,000'],
  [['--fast'], "Unknown option '--fast'"],
])('%j is refused with a sentence and the usage', async (args, sentence) => {
  const { code, stdout, stderr } = await bench(...args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(sentence)
  expect(stderr).toContain('usage: npm run bench')
})
