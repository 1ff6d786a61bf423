import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { type Child, startChild } from '../support/child.ts'
import { eventually } from '../support/exported-lines.ts'

const SIMULATE = new URL('./simulate.ts', import.meta.url).pathname

const UNTRIED =
  /^(\d+) of 1000001 seeds were not tried: their process was ended by SIGKILL\. To try them: npm run simulate -- --seed (\d+) --seeds (\d+)$/gm

/** Complete output of the process. */
async function printed(child: Child): Promise<string> {
  const lines: string[] = []
  for (let line = await child.line(/./); line !== null; line = await child.line(/./)) lines.push(line)
  return lines.join('\n')
}

async function simulate(...args: string[]): Promise<{ code: unknown; text: string }> {
  const child = startChild([SIMULATE, ...args])
  const text = await printed(child)
  return { code: await child.ended(), text }
}

function childrenOf({ process }: Child): number[] {
  try {
    return execFileSync('pgrep', ['-P', String(process.pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number)
  } catch {
    return [] // Its exit code is 1 when there are no such processes.
  }
}

test('every promise is reported to hold when every seed was tried', async () => {
  const { code, text } = await simulate('--seed', '7', '--seeds', '5', '--cores', '2')
  expect([code, text]).toEqual([0, expect.stringMatching(/^5 seeds, .*\nevery promise held$/)])
})

test('seeds whose process was killed are not reported as tried', async () => {
  const child = startChild([SIMULATE, '--seed', '5000', '--seeds', '1000001', '--cores', '2'])
  try {
    const children = await eventually(
      async () => childrenOf(child),
      pids => pids.length === 2,
    )
    expect(children).toHaveLength(2)
    for (const pid of children) process.kill(pid, 'SIGKILL')
    const text = await printed(child)
    expect(await child.ended()).toBe(1)
    expect(text).not.toContain('every promise held')
    const [first, second, ...others] = [...text.matchAll(UNTRIED)].map(([, left, from, seeds]) => ({
      isAll: left === seeds,
      last: Number(from) + Number(left) - 1,
    }))
    expect([first, second, others]).toEqual([
      { isAll: true, last: 505_000 },
      { isAll: true, last: 1_005_000 },
      [],
    ])
  } finally {
    await child.kill()
  }
})

test('seeds after a failing one are not reported as tried', async () => {
  const guard = 'the default graph counts bytes'
  const { code, text } = await simulate('--seeds', '9', '--cores', '1', '--without', guard)
  expect(code).toBe(1)
  expect(text).toContain('SEED 1: BrokenPromise')
  expect(text).toContain(
    `8 of 9 seeds were not tried: seed 1 has failed. To try them: npm run simulate -- --seed 2 --seeds 8 --without "${guard}"`,
  )
})

test.each([
  [['--seed', '1e30'], '--seed must be a whole number from 0 on and below 2^53, not "1e30"'],
  [['--seed', '9007199254740990'], 'the last seed must be below 2^53'],
  [['--seed', ''], '--seed must be a whole number'],
  [['--seeds', '0'], '--seeds must be a whole number from 1 on'],
  [['--cores', '0'], '--cores must be a whole number from 1 on'],
  [['--twice-every', '0'], '--twice-every must be a whole number from 1 on'],
  [['--without', 'toString'], 'no such guard: toString'],
])('%j is refused with a sentence and the usage', async (args, sentence) => {
  const { code, text } = await simulate(...args)
  expect(code).toBe(2)
  expect(text).toContain(`simulate: `)
  expect(text).toContain(sentence)
  expect(text).toContain('usage: npm run simulate')
})
