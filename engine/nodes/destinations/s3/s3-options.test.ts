import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../schemas/json.ts'
import { s3PublishProblems } from './s3-options.ts'

const CONFIG = {
  auth: { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'secret' },
  ...{ region: 'eu-central-1', bucket: 'web-logs' },
}
const tag = (name: string, value = 'v') => ({ name, value })

test.each<[JsonObject, string[]]>([
  [{}, []],
  [{ bucket: 'Web.logs_1', region: 'garage', prefix: '%Y/{{ .app }}/' }, []],
  [{ bucket: 'a/b' }, ['/bucket']],
  [{ bucket: '..' }, ['/bucket']],
  [{ region: 'a.example/' }, ['/region']],
  [{ auth: { access_key_id: 'a/b\n', secret_access_key: 'secret' } }, ['/auth/access_key_id']],
  [{ prefix: '%Q/' }, ['/prefix']],
  [{ tags: [tag('team', 'a+b = c'), tag('ä')] }, []],
  [
    { tags: [tag('aws:team'), tag('a&b'), tag('a', '<'), tag('a')] },
    ['/tags/0/name', '/tags/1/name', '/tags/2/value', '/tags/3'],
  ],
  [{ tags: Array.from({ length: 11 }, (_, index) => tag(`t${index}`)) }, ['/tags']],
  [{ file_consolidation: { enabled: false } }, []],
  [{ file_consolidation: { enabled: true } }, ['/file_consolidation/enabled']],
])('options with %j have the findings %j', (options, pointers) => {
  const site = { notPublished: 'it is not published' } as never
  const problems = s3PublishProblems({ ...CONFIG, ...options }, site)
  expect(problems.map(({ instancePath }) => instancePath)).toEqual(pointers)
})
