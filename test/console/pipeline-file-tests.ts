import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { PipelineRecord } from '../../schemas/http/pipeline/pipeline-api.ts'
import type { ConsoleUnderTest } from '../support/browser/describe-console.ts'
import { findingsOfPage } from './axe-findings.ts'
import type { Call } from './throttles-tests.ts'

const WRONG = `weir: pipeline/1
title: TITLE
sources:
  - name: lines
    type: log-analysis-ingestion
processors:
  - name: calm
    type: throttle
    inputs: [nowhere]
    config:
      threshold: 0
      window: 1h
destinations:
  - name: store
    type: log-analysis
    inputs: [calm]
`
const wrong = (title: string) => WRONG.replace('TITLE', title)
const right = (title: string) =>
  wrong(title).replace('threshold: 0', 'threshold: 5').replace('nowhere', 'lines')

/** Tests of new pipelines from files. */
export function pipelineFileTests(console: ConsoleUnderTest, call: Call): void {
  const dialog = (page: Page) => page.getByRole('dialog')
  const create = (page: Page) => dialog(page).getByRole('button', { name: 'Create the pipeline' })
  const titles = async () =>
    (await call<readonly PipelineRecord[]>('GET', '/v3/pipeline')).map(({ title }) => title)

  const choose = (page: Page, name: string, text: string | Buffer) =>
    dialog(page)
      .getByLabel(/^Choose/)
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

  /** Drops files of one text on the page. */
  async function drop(page: Page, names: readonly string[], text: string): Promise<void> {
    const dataTransfer = await page.evaluateHandle(
      ([given, content]) => {
        const transfer = new DataTransfer()
        for (const name of given) transfer.items.add(new File([content], name))
        return transfer
      },
      [names, text] as const,
    )
    for (const type of ['dragover', 'drop']) await page.dispatchEvent('h1', type, { dataTransfer })
  }

  /** Puts the cursor on a line of the editor, and types over its text behind the indentation. */
  async function retypeLine(page: Page, line: string, text: string): Promise<void> {
    await dialog(page).locator('.cm-line', { hasText: line }).click()
    for (const key of ['Home', 'Shift+End']) await page.keyboard.press(key)
    await page.keyboard.insertText(text)
  }

  test('a chosen file shows its findings at their lines, and is saved once it has none', async () => {
    const page = await console.signedIn('/console/pipelines')
    await page.getByRole('button', { name: 'New from file' }).press('Enter')
    await dialog(page).locator('input:focus').and(dialog(page).getByLabel('Choose a file')).waitFor()
    await choose(page, 'shop.yaml', wrong('From a chosen file'))
    await dialog(page).getByText('shop.yaml').waitFor()
    await dialog(page).getByRole('status').getByText('2 findings').waitFor()
    const findings = await dialog(page).getByRole('listitem').allTextContents()
    expect(findings).toEqual([
      expect.stringMatching(/^Line 9processors\/0\/inputs\/0: must be the name of a source or a processor/),
      expect.stringMatching(/^Line 11processors\/0\/config\/threshold: must be >= 1/),
    ])
    // Each message stands below its line in the text, too.
    const shown = await dialog(page)
      .locator('.cm-content > *')
      .evaluateAll(all => all.map(each => `${each.className}: ${each.textContent}`))
    const at = shown.findIndex(text => text.includes('threshold: 0'))
    expect(shown[at + 1]).toMatch(/^cm-message: processors\/0\/config\/threshold: must be >= 1/)
    expect(await create(page).isDisabled()).toBe(true)
    expect(await findingsOfPage(page)).toEqual([])

    await dialog(page).getByRole('button', { name: 'Line 11' }).press('Enter')
    await page.locator('.cm-content:focus').waitFor()
    await page.keyboard.press('Shift+End')
    await page.keyboard.insertText('threshold: 5')
    await dialog(page).getByRole('status').getByText('1 finding', { exact: true }).waitFor()
    expect(await titles()).not.toContain('From a chosen file')
    await retypeLine(page, 'nowhere', 'inputs: [lines]')
    await dialog(page).getByText('It makes a new pipeline').waitFor()
    await dialog(page).getByText('+ pipeline "From a chosen file"').waitFor()
    expect(await dialog(page).locator('.cm-message').count()).toBe(0)
    expect(await titles()).not.toContain('From a chosen file')
    await create(page).press('Enter')
    await page.getByRole('heading', { name: 'From a chosen file', exact: true }).waitFor()
    expect(await titles()).toContain('From a chosen file')
  })

  test('a dropped file of JSON whose pipeline exists shows the changes of its draft', async () => {
    await call('PUT', '/v3/pipeline/import', { weir: 'pipeline/1', title: 'Exists' })
    const page = await console.signedIn('/console/pipelines')
    await page.getByRole('link', { name: 'Exists' }).waitFor()
    const file = {
      weir: 'pipeline/1',
      title: 'Exists',
      sources: [{ name: 'lines', type: 'log-analysis-ingestion' }],
    }
    await drop(page, ['one.json', 'two.json'], '{}')
    await dialog(page).getByRole('alert').getByText('Drop one file.').waitFor()
    await drop(page, ['one.json'], JSON.stringify(file, null, 2))
    await dialog(page).getByText('It changes the draft of "Exists", which exists').waitFor()
    await dialog(page).getByText('+ source log-analysis-ingestion lines').waitFor()
    // The given file stays when the dialog is closed.
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'New from file' }).click()
    await dialog(page).getByRole('button', { name: 'Change its draft' }).click()
    await page.getByRole('heading', { name: 'Exists' }).waitFor()
    await page.getByRole('button', { name: 'lines' }).first().waitFor()
    await page.goto('/console/pipelines')
    await page.getByRole('link', { name: 'Exists' }).waitFor()
    await drop(page, ['one.json'], JSON.stringify(file))
    await dialog(page).getByText('The draft of "Exists" equals the file already.').waitFor()
    expect(
      await create(page)
        .or(dialog(page).getByRole('button', { name: 'Change its draft' }))
        .isDisabled(),
    ).toBe(true)
    await dialog(page).getByRole('link', { name: 'Open the pipeline' }).click()
    await page.getByRole('heading', { name: 'Exists' }).waitFor()
  })

  test('a file that is no document, or no text, is refused with the reason', async () => {
    console.provokes(/^Failed to load resource: the server responded with a status of 503/)
    const page = await console.signedIn('/console/pipelines')
    await page.getByRole('button', { name: 'New from file' }).click()
    await choose(page, 'picture.yaml', Buffer.from([0xff, 0xfe, 0x00]))
    await dialog(page).getByRole('alert').getByText('The file is not a text in UTF-8.').waitFor()
    await choose(page, 'broken.yaml', 'weir: pipeline/1\nsources:\n  - name: a\n   type: b\n')
    await dialog(page)
      .getByText(/must be YAML: .* \(line \d\)/)
      .first()
      .waitFor()
    expect(await dialog(page).getByRole('alert').count()).toBe(0)
    await choose(page, 'hostile.yaml', `weir: pipeline/1\ntitle: "<img src=x onerror=alert(1)>"\nnone: 1\n`)
    await dialog(page).getByText("must NOT have additional properties: 'none'").first().waitFor()
    await dialog(page).getByRole('button', { name: 'Line 3' }).waitFor()
    const json = { message: 'The configuration cannot be read now', code: 'EUNAVAILABLE' }
    await page.route('**/v3/pipeline/import?dry_run=true', route => route.fulfill({ status: 503, json }))
    await choose(page, 'other.yaml', right('Other'))
    await dialog(page).getByRole('alert').getByText('The configuration cannot be read now').waitFor()
    await page.unrouteAll()
    await dialog(page).getByRole('button', { name: 'Try again' }).click()
    await dialog(page).getByText('It makes a new pipeline').waitFor()
    await page.route('**/v3/pipeline/import', route =>
      route.fulfill({ status: 409, json: { message: 'Several' } }),
    )
    await create(page).click()
    await dialog(page).getByRole('alert').getByText('Several').waitFor()
    expect(await titles()).not.toContain('Other')
  })

  test.each([
    ['light', { width: 320, height: 640 }],
    ['dark', { width: 1_280, height: 800 }],
  ] as const)('the dialog has no findings of axe in the %s theme at %o', async (colorScheme, viewport) => {
    const page = await console.signedIn('/console/pipelines', { colorScheme, viewport })
    await page.getByRole('button', { name: 'New from file' }).click()
    expect(await findingsOfPage(page)).toEqual([])
    await choose(page, 'shop.yaml', wrong('Never saved'))
    await dialog(page).locator('.cm-message').first().waitFor()
    expect(await findingsOfPage(page)).toEqual([])
    await choose(page, 'right.yaml', right('Never saved'))
    await dialog(page).getByText('It makes a new pipeline').waitFor()
    expect(await findingsOfPage(page)).toEqual([])
  })
}
