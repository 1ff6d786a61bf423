import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import type { Chromium } from './chromium-at-hand.ts'

/** Starts a browser. Only root goes without its sandbox. */
export function launchChromium(
  { path, environment }: Chromium,
  args: readonly string[] = [],
): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  return chromium.launch({
    executablePath: path,
    env: { ...(process.env as Record<string, string>), ...environment },
    args: ['--headless', '--disable-gpu', '--hide-scrollbars', ...(isRoot ? ['--no-sandbox'] : []), ...args],
  })
}

/** A context of the browser that has signed in to the console with a token. */
export async function signedInContext(
  browser: Browser,
  { url, token, ...options }: { readonly url: string; readonly token: string } & BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, locale: 'en', timezoneId: 'UTC', ...options })
  await signInOf(context, token)
  return context
}

/** Gives a context the cookie of a session. */
export async function signInOf(context: BrowserContext, token: string): Promise<void> {
  const answer = await context.request.post('/v3/auth/session', {
    headers: { 'x-weir-console': '1' },
    data: { token },
  })
  if (!answer.ok()) throw new Error(`sign-in answered ${answer.status()}`)
}
