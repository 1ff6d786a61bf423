import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import { ConfigurationClient } from '../support/configuration-client.ts'
import { freePort } from '../support/free-port.ts'
import { TEST_SETTINGS, type TestInstallation, testInstallation } from '../support/test-installation.ts'

/**
 * Keys, members, groups, archiving, stream and ingestion as an infrastructure client uses them, with a service key in its
 * header. Every resource is created, read, updated, read only by its id (import) and deleted; errors are matched in the
 * raw body.
 */
let weir: TestInstallation
let client: ConfigurationClient
let broker: Server
let brokerAddress: string

beforeEach(async () => {
  weir = await testInstallation({ settings: { ...TEST_SETTINGS, allowServiceKeyCreation: true } })
  client = new ConfigurationClient(weir, { servicekey: weir.credentials.serviceKey })
  broker = createServer(socket => socket.on('error', () => {})).listen(0, '127.0.0.1')
  await once(broker, 'listening')
  brokerAddress = `127.0.0.1:${(broker.address() as AddressInfo).port}`
})
afterEach(async () => {
  broker.close()
  await weir.app.close()
})

describe('a resource with an id can be created, read, updated, imported and deleted', () => {
  test.each(['service', 'ingestion'])('a key of type %s', async type => {
    const created = await client.post(`keys?type=${type}`, { name: 'my first name' })
    const path = `keys/${created.id}`
    expect(await client.get(path)).toEqual(created)
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{10}$/),
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'my first name',
      type,
      created: expect.any(Number),
    })
    // Clients tell keys from tokens by their form.
    expect(created.key).not.toMatch(/^st[a-z]_[0-9a-f]{40}$/)
    expect(await client.put(path, { name: 'my new name' })).toEqual({ ...created, name: 'my new name' })
    expect(await client.get(path)).toEqual({ ...created, name: 'my new name' })
    expect(await client.delete(path)).toEqual({ message: expect.any(String), deleted: true })
    expect((await client.refusal('GET', path))[0]).toBe(404)
  })

  test('a member', async () => {
    const created = await client.post('members', { email: 'testemail@example.org', role: 'member' })
    expect(created).toEqual({ email: 'testemail@example.org', role: 'member', groups: [] })
    const path = 'members/testemail@example.org'
    expect(await client.get(path)).toEqual(created)
    expect(await client.put(path, { role: 'admin', groups: [] })).toEqual({ ...created, role: 'admin' })
    expect(await client.get('members/testemail%40example.org')).toEqual({ ...created, role: 'admin' })
    expect(await client.delete(path)).toEqual({ message: expect.any(String), deleted: true })
    expect((await client.refusal('GET', path))[0]).toBe(404)
  })

  test('a group', async () => {
    const created = await client.post('groups', { name: 'team a', accessScopes: 'app:web' })
    const path = `groups/${created.id}`
    expect(await client.get(path)).toEqual(created)
    const patched = await client.send('PATCH', path, { accessScopes: 'app:web OR app:db' })
    expect(patched.json()).toEqual({ ...created, accessScopes: 'app:web OR app:db' })
    expect(await client.get('groups')).toEqual([patched.json()])
    expect(await client.delete(path)).toEqual({ deleted: true })
    expect(await client.get('groups')).toEqual([])
  })
})

describe('a resource that an account has once can be created, read, updated, imported and deleted', () => {
  test('archiving, with a change of the provider', async () => {
    const s3 = { integration: 's3', bucket: 'logs' }
    const gcs = { integration: 'gcs', bucket: 'more-logs', projectid: 'project' }
    expect(await client.post('archiving', s3)).toEqual(s3)
    expect(await client.get('archiving')).toEqual(s3)
    expect(await client.put('archiving', gcs)).toEqual(gcs)
    expect(await client.get('archiving')).toEqual(gcs)
    expect(await client.delete('archiving')).toEqual({ deleted: true })
    expect((await client.send('GET', 'archiving')).body).toMatch(/"No active archiving configuration exists"/)
  })

  test('a stream', async () => {
    const write = {
      brokers: [brokerAddress],
      topic: 'test-topic',
      user: 'test-user',
      password: 'test-password',
    }
    const { password: _, ...read } = { status: 'active', ...write }
    expect(await client.post('stream', write)).toEqual(read)
    expect(await client.get('stream')).toEqual(read)
    expect(await client.put('stream', { ...write, topic: 'updated' })).toEqual({ ...read, topic: 'updated' })
    expect(await client.get('stream')).toEqual({ ...read, topic: 'updated' })
    expect(await client.delete('stream')).toEqual({ deleted: true })
    expect((await client.refusal('GET', 'stream'))[0]).toBe(404)
  })

  test('suspended ingestion', async () => {
    expect(await client.get('ingestion/status')).toEqual({ is_ingesting: true })
    const { token } = await client.post('ingestion/suspend', {})
    await client.post('ingestion/suspend/confirm', { token } as JsonObject)
    expect(await client.get('ingestion/status')).toEqual({ is_ingesting: false })
    await client.post('ingestion/resume', {})
    expect(await client.get('ingestion/status')).toEqual({ is_ingesting: true })
  })
})

describe('the client finds errors in the raw body', () => {
  test.each<[string, 'POST' | 'PUT', string, object, RegExp]>([
    [
      'empty members of a stream, before any broker is asked',
      'POST',
      'stream',
      { brokers: ['broker-1.invalid:9090'], topic: '', user: '', password: '' },
      /\\"topic\\" is not allowed to be empty.*\\"user\\" is not allowed to be empty.*\\"password\\" is not allowed to be empty/,
    ],
    [
      'a broker that does not resolve',
      'POST',
      'stream',
      { brokers: ['broker-1.invalid:9090'], topic: 't', user: 'u', password: 'p' },
      /Failed to connect to Kafka broker/,
    ],
    [
      'a stream that is not there',
      'PUT',
      'stream',
      { brokers: ['b:1'], topic: 't', user: 'u', password: 'p' },
      /"error":"Streaming configuration does not exist"/,
    ],
    [
      'another provider',
      'POST',
      'archiving',
      { integration: 'invalid' },
      /"message":"\\"integration\\" must be one of \[ibm, s3, azblob, gcs, dos, swift\]"/,
    ],
    [
      'archiving that is not there',
      'PUT',
      'archiving',
      { integration: 's3', bucket: 'b' },
      /"Active archiving configuration does not exist for this account\. Try creating one instead\."/,
    ],
    ['another type of key', 'POST', 'keys?type=x', {}, /"\\"type\\" must be one of \[ingestion, service\]"/],
    [
      'the role of the owner',
      'POST',
      'members',
      { email: 'a@b.org', role: 'owner' },
      /"\\"role\\" must be one of \[admin, member, readonly\]"/,
    ],
  ])('%s', async (_name, method, path, body, pattern) => {
    const response = await weir.clock.advanceUntil(client.send(method, path, body))
    expect([400, 404]).toContain(response.statusCode)
    expect(response.body).toMatch(pattern)
    expect(response.body).toMatch(/"code":"(BadRequest|NotFound)","status":"error"\}$/)
  })

  test('a broker that does not listen', async () => {
    const body = { brokers: [`127.0.0.1:${await freePort()}`], topic: 't', user: 'u', password: 'p' }
    expect((await weir.clock.advanceUntil(client.send('POST', 'stream', body))).body).toMatch(
      /Failed to connect to Kafka broker/,
    )
  })
})
