import { readdirSync, readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'

const DOCS = new URL('../../docs/', import.meta.url)
const IMAGES = new URL('images/', DOCS)
const MAX_BYTES = 150_000

const pages = [
  new URL('../../README.md', import.meta.url),
  ...readdirSync(DOCS)
    .filter(name => name.endsWith('.md'))
    .map(name => new URL(name, DOCS)),
]
const pictures = readdirSync(IMAGES)

test('every picture of docs/images is on a page, and every one that a page names is there', () => {
  const named = pages.flatMap(page =>
    [...readFileSync(page, 'utf8').matchAll(/(?<=images\/)[\w-]+\.webp/g)].map(([name]) => name),
  )
  expect([...new Set(named)].sort()).toEqual(pictures.toSorted())
})

test('no picture is large', () => {
  for (const name of pictures) expect(statSync(new URL(name, IMAGES)).size, name).toBeLessThan(MAX_BYTES)
})
