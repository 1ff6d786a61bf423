import { pipeline, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { ExceptionBlock } from './exception-block.ts'

const TAG = 'BcDeFgHiJkLmNoPq'
const MESSAGE =
  "Code: 395. DB::Exception: Value passed to 'throwIf' function is non-zero: broken. (FUNCTION_THROW_IF)\n"
const ROWS = '{"n":"1"}\n{"n":"2"}\n'
const BLOCK = `\r\n__exception__\r\n${TAG}\r\n${MESSAGE}${MESSAGE.length} ${TAG}\r\n__exception__\r\n`

function read(pieces: readonly string[], tag: string | null = TAG): Promise<string> {
  const source = Readable.from(
    pieces.map(piece => Buffer.from(piece)),
    { objectMode: false },
  )
  return text(pipeline(source, new ExceptionBlock(tag ?? undefined), () => {}))
}

test('an error behind the rows is reported in its own words, wherever the answer is cut', async () => {
  const answer = ROWS + BLOCK
  for (let cut = 1; cut < answer.length; cut++)
    await expect(read([answer.slice(0, cut), answer.slice(cut)]), `cut at ${cut}`).rejects.toMatchObject({
      code: '395',
      message: expect.stringContaining('broken') as unknown,
    })
  await expect(read([...answer])).rejects.toThrow('broken')
})

test('the error is reported at once, even if the answer does not end', async () => {
  const endless = async function* () {
    yield Buffer.from(ROWS)
    yield Buffer.from(BLOCK)
    await new Promise(() => {})
  }
  const source = Readable.from(endless(), { objectMode: false })
  await expect(text(pipeline(source, new ExceptionBlock(TAG), () => {}))).rejects.toThrow('broken')
})

test('a block without its end is an error, too', async () => {
  for (const length of [1, 5, 20, 60, BLOCK.length - 1])
    await expect(read([ROWS, BLOCK.slice(0, length)]), `${length} bytes`).rejects.toThrow()
})

test('rows pass unchanged, wherever they are cut, also from a server without such blocks', async () => {
  for (let cut = 1; cut < ROWS.length; cut++)
    expect(await read([ROWS.slice(0, cut), ROWS.slice(cut)])).toBe(ROWS)
  expect(await read([ROWS, 'a\r\nb'], null)).toBe(`${ROWS}a\r\nb`)
})
