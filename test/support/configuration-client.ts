import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import type { TestInstallation } from './test-installation.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const JSON_TYPE = 'application/json'

/**
 * Sends the requests of `/v1/config` clients, and checks every answer for the properties that they rely on. These are
 * status 200 for success, compact JSON, and errors in their form (configuration and account API, sections 1 and 3).
 */
export class ConfigurationClient {
  readonly #app: TestInstallation['app']
  readonly #headers: Record<string, string>

  constructor(
    { app, credentials }: Pick<TestInstallation, 'app' | 'credentials'>,
    headers?: Record<string, string>,
  ) {
    this.#app = app
    this.#headers = headers ?? { authorization: `Token ${credentials.accessToken}` }
  }

  /** @param path below `/v1/config/` */
  async send(method: Method, path: string, payload?: object | string): Promise<LightMyRequestResponse> {
    // Two clients send the content type with every request, whether or not it has a body.
    const headers = { ...this.#headers, 'content-type': JSON_TYPE }
    const request = { method, url: `/v1/config/${path}`, headers }
    const response = await this.#app.inject(payload === undefined ? request : { ...request, payload })
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(response.body).toBe(JSON.stringify(response.json()))
    return response
  }

  /** Answer of a request that must succeed. */
  async get(path: string): Promise<JsonValue> {
    return this.#answer('GET', path)
  }

  async post(path: string, body: object): Promise<JsonObject> {
    return (await this.#answer('POST', path, body)) as JsonObject
  }

  async put(path: string, body: object): Promise<JsonObject> {
    return (await this.#answer('PUT', path, body)) as JsonObject
  }

  async delete(path: string): Promise<JsonObject> {
    return (await this.#answer('DELETE', path)) as JsonObject
  }

  /** The messages of a validation, in their order. */
  async findings(method: Method, path: string, body: object | string): Promise<string[]> {
    const response = await this.send(method, path, body)
    const { details, ...rest } = response.json()
    const messages = details.map(({ message }: { message: string }) => message)
    expect([response.statusCode, rest]).toEqual([
      400,
      { error: messages[0], code: 'BadRequest', status: 'error' },
    ])
    for (const { message, key, ...more } of details) {
      expect(more).toEqual({})
      if (message.startsWith('"')) expect(message).toMatch(new RegExp(`^"${RegExp.escape(key)}" `))
    }
    return messages
  }

  /** Status and body of a request that is refused for another reason. */
  async refusal(method: Method, path: string, body?: object | string): Promise<[number, JsonObject]> {
    const response = await this.send(method, path, body)
    return [response.statusCode, response.json()]
  }

  async #answer(method: Method, path: string, body?: object): Promise<JsonValue> {
    const response = await this.send(method, path, body)
    expect([response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([200, ''])
    return response.json()
  }
}

export const NOT_FOUND = [404, { error: 'Resource Not Found', code: 'NotFound', status: 'error' }]
