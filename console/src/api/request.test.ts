import { afterEach, expect, test, vi } from 'vitest'
import { listenToSessionEnd, noteSession, send } from './request.ts'

afterEach(() => vi.unstubAllGlobals())

test('a late answer to a request before the sign-in opened the dialog of a session that has ended, for good', async () => {
  const ended = vi.fn()
  listenToSessionEnd(ended)
  const answers: ((answer: Response) => void)[] = []
  vi.stubGlobal('window', { location: { pathname: '/console/' } })
  vi.stubGlobal('fetch', () => new Promise<Response>(resolve => answers.push(resolve)))
  const refused = () => new Response('{"message":"Sign in"}', { status: 401 })
  const late = send('/v3/pipeline')
  noteSession()
  answers[0]?.(refused())
  await expect(late).rejects.toMatchObject({ status: 401 })
  expect(ended).not.toHaveBeenCalled()
  const next = send('/v3/pipeline')
  answers[1]?.(refused())
  await expect(next).rejects.toMatchObject({ status: 401 })
  expect(ended).toHaveBeenCalledOnce()
})
