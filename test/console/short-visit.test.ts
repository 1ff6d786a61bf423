import { expect, test } from 'vitest'
import { describeConsole, signIn } from '../support/browser/describe-console.ts'
import { publishedPipeline } from './published-pipeline.ts'

/** The short form of the other files of this folder, which `npm run test:console` runs. */

describeConsole('a short visit to the console', console => {
  test('signs in, finds a line, and opens the pipeline that the line went through', async () => {
    await publishedPipeline(console)
    await console.ship([
      { line: 'the order arrived', app: 'shop', level: 'info' },
      { line: 'nothing of interest', app: 'web', level: 'info' },
    ])
    const page = await console.open('/console/search?q=order')
    await signIn(page, console.weir.credentials.accessToken)
    await page.getByRole('grid', { name: 'Lines' }).getByText('the order arrived').waitFor()
    expect(await page.getByText('nothing of interest').count()).toBe(0)

    await page.getByRole('link', { name: 'Pipelines' }).click()
    await page.getByRole('link', { name: 'Fewer lines' }).click()
    await page
      .locator('.react-flow')
      .getByRole('button', { name: 'At most two throttle processor' })
      .waitFor()
  })
})
