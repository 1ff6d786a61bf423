import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { ConsoleUnderTest } from '../support/browser/describe-console.ts'
import { signInOf } from '../support/browser/launched-chromium.ts'
import { type Dice, newDice } from '../support/dice.ts'

const KEYS = [
  ...['/', '?', 'j', 'k', 'l', 'o', 'z', '[', ']', '-', 'c', 'w', 'f', 'a', 't', 'm', 'Delete', 'F8'],
  ...['Enter', 'Escape', 'Tab', 'Shift+Tab', 'ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'End'],
  ...['Shift+ArrowDown', 'Control+z', 'Control+y', 'Control+s', 'Control+c', 'Control+v', 'Control+Enter'],
]
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  q: ['audit', 'level:error OR (', '"', 'a AND b', '-x', '\u202e<b>'],
  from: ['5min', '30d', '0', '9999999999999', 'never'],
  to: ['now', '1', '-5'],
  order: ['oldest', 'sideways'],
  line: ['1', 'x', '9'.repeat(40)],
  open: ['why', 'context', 'tap', 'state', 'nothing'],
  live: ['on', 'perhaps'],
  tz: ['Asia/Kolkata', 'Nowhere/At_All'],
  tab: [
    'keys',
    'members',
    'groups',
    'stream',
    'retention',
    'quotas',
    'simulate',
    'preview',
    'revisions',
    'file',
    'variables',
    'none',
  ],
  rev: ['deployed', '7'],
  cmp: ['1..draft', '..', '9..x'],
  cols: ['level', 'a,b,c', ','],
}
const TEXTS = [
  'web',
  '1h',
  '"',
  '{"a":1}',
  'level:(',
  '\u0000\u202e',
  '99999999999999999999',
  '*'.repeat(300),
]
const PATHS = [
  ...['search', 'usage', 'pipelines', 'throttles', 'errors', 'dead-letters', 'rules', 'access', 'audit'],
  ...['system', 'nowhere'],
]
/** Requests and pages may take their time; elements may go before they are reached. */
const ACTION_TIMEOUT_MS = 1_000
/** They end the session or its token, or leave the pages. */
const LEAVING = /sign out|save the lines as a file|revoke|new secret/i

/**
 * A walk over buttons, links, fields, keys and addresses, which a seed repeats as far as the server answers alike. Faults that the
 * browser sees fail it, as they fail every test of the console.
 */
export function walkAtRandom(
  console: ConsoleUnderTest,
  {
    seed,
    steps,
    pipelineOf,
    timeoutMs,
  }: { seed: number; steps: number; pipelineOf: () => string; timeoutMs?: number },
): void {
  test(
    `a random walk over buttons, keys and addresses meets no error (SEED=${seed}, ${steps} steps)`,
    async () => {
      const dice = newDice(seed)
      const page = await console.signedIn('/console/search', {
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      page.on('dialog', dialog => void dialog.accept())
      const paths = [...PATHS, `pipelines/${pipelineOf()}`]
      const way: string[] = []
      const failed: string[] = []
      page.on('response', answer => {
        if (answer.status() >= 500)
          failed.push(`${answer.status()} ${answer.url()} after ${way.slice(-3).join('; ')}`)
      })
      for (let step = 0; step < steps; step++) {
        way.push(await takeStep(page, dice, paths))
        // There is a page to go on with after every step.
        const shown = page.locator('h1, dialog[open], [role=alert], [role=status]').first()
        await shown.waitFor({ state: 'attached' }).catch(() => {
          throw new Error(`nothing is shown after ${way.slice(-5).join('; ')}`)
        })
        if (page.url().includes('/sign-in')) await comeBack(console, page)
      }
      expect(failed).toEqual([])
    },
    timeoutMs,
  )
}

/** @returns a description of the step */
async function takeStep(page: Page, dice: Dice, paths: readonly string[]): Promise<string> {
  const kind = dice.below(20)
  if (kind < 2) {
    const address = randomAddress(dice, paths)
    await page.goto(address)
    return address
  }
  if (kind < 3) {
    await page.goBack()
    return 'back'
  }
  if (kind < 9) {
    const key = dice.pick(KEYS)
    await page.keyboard.press(key)
    return key
  }
  if (kind < 11) {
    const text = dice.pick(TEXTS)
    const field = await anyOf(page.locator('input:visible:enabled, textarea:visible:enabled'), dice)
    await field?.fill(text, { timeout: ACTION_TIMEOUT_MS }).catch(() => {})
    return `typed ${JSON.stringify(text)}`
  }
  const target = await anyOf(
    page.locator('button:visible:enabled, a[href^="/"]:visible, summary:visible, [role=option]:visible'),
    dice,
  )
  const name = (await target?.textContent({ timeout: ACTION_TIMEOUT_MS }).catch(() => '')) ?? ''
  const label =
    (await target?.getAttribute('aria-label', { timeout: ACTION_TIMEOUT_MS }).catch(() => '')) ?? ''
  if (LEAVING.test(`${name} ${label}`)) return 'nothing'
  await target?.click({ timeout: ACTION_TIMEOUT_MS }).catch(() => {})
  return `clicked ${label || name}`
}

async function anyOf(elements: Locator, dice: Dice): Promise<Locator | undefined> {
  const count = await elements.count()
  return count === 0 ? undefined : elements.nth(dice.below(count))
}

function randomAddress(dice: Dice, paths: readonly string[]): string {
  const query = new URLSearchParams()
  for (const [name, values] of Object.entries(PARAMETERS))
    if (dice.chance(0.2)) query.set(name, dice.pick(values))
  return `/console/${dice.pick(paths)}?${query}`
}

/** Signs in again, as after a walk that revoked its own token. */
async function comeBack(console: ConsoleUnderTest, page: Page): Promise<void> {
  await signInOf(page.context(), console.weir.credentials.accessToken)
  await page.goto('/console/search')
}
