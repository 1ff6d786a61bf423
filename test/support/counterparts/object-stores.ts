import { signatureHeaders } from '../../../deploy/outbound/aws-signature.ts'
import { azureSignatureHeaders } from '../../../deploy/outbound/azure-signature.ts'
import type { CheckOutcome } from '../../../engine/delivery/destinations/destination-checks.ts'
import type { HttpRequest } from '../../../engine/outbound/http-exchange.ts'
import { percentEncoded } from '../../../engine/outbound/percent-encoded.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import { serviceAccountKey } from '../receivers/google-account.ts'
import { AZURE_ACCOUNT, azurite } from './azurite.ts'
import type { Counterpart } from './counterpart.ts'
import { fakeGcs } from './fake-gcs.ts'
import { S3_KEY, versityGateway } from './versity-gateway.ts'

const REGION = 'us-east-1'
const AZURE_VERSION = '2021-12-02'
const GOOGLE = 'https://storage.googleapis.com'
const EMPTY = Buffer.alloc(0)

/** A destination that writes objects, and the way to read them back. */
export interface ObjectStore {
  readonly type: string
  readonly counterpart: Counterpart
  /** Name of the option with the beginning of names. */
  readonly prefixOption: string
  /** Name and value of each tag that every object has. */
  readonly tags: readonly string[]
  /** Outcome of a check, which asks for the bucket or for an object that nothing writes. */
  readonly checked: Pick<CheckOutcome, 'kind' | 'status'>
  open(url: string): OpenObjectStore
}

export interface OpenObjectStore {
  /** Options of the destination without prefix and form. */
  options(bucket: string): JsonObject
  /** Options whose credentials are refused; absent: the counterpart does not look at them. */
  refusedOptions?(bucket: string): JsonObject
  redirected?(request: HttpRequest): HttpRequest
  create(bucket: string): Promise<void>
  /** Names of all objects, in any order. */
  names(bucket: string): Promise<readonly string[]>
  read(bucket: string, name: string): Promise<StoredObject>
}

export interface StoredObject {
  readonly contentType: string | null
  readonly body: Buffer
  /** Name and value of each tag. */
  readonly tags: readonly string[]
}

export const OBJECT_STORES: readonly ObjectStore[] = [
  {
    ...{ type: 's3', counterpart: versityGateway, prefixOption: 'prefix', tags: ['team', 'web/ä + @'] },
    checked: { kind: 'accepted', status: 200 },
    open(url) {
      const ask = async (method: string, path: string) => {
        const signed = { method, url: `${url}/${path}`, headers: {}, body: EMPTY }
        const key = { ...S3_KEY, region: REGION, service: 's3' }
        return expectOk(
          await fetch(signed.url, { method, headers: signatureHeaders(signed, key, Date.now()) }),
        )
      }
      const optionsWith = (secret: string) => (bucket: string) => ({
        auth: { access_key_id: S3_KEY.accessKeyId, secret_access_key: secret },
        ...{ region: REGION, endpoint: url, bucket, tags: [{ name: 'team', value: 'web/ä + @' }] },
      })
      return {
        options: optionsWith(S3_KEY.secretAccessKey),
        refusedOptions: optionsWith('other'),
        create: async bucket => void (await ask('PUT', bucket)),
        names: async bucket => elements('Key', await (await ask('GET', `${bucket}?list-type=2`)).text()),
        async read(bucket, name) {
          const path = `${bucket}/${encodedPath(name)}`
          const tagging = await (await ask('GET', `${path}?tagging=`)).text()
          const tags = [...elements('Key', tagging), ...elements('Value', tagging)]
          return { ...(await storedObject(await ask('GET', path))), tags }
        },
      }
    },
  },
  {
    ...{ type: 'azure-blob-storage', counterpart: azurite, prefixOption: 'prefix', tags: [] },
    checked: { kind: 'answered', status: 404 },
    open(url) {
      const account = `${url}/${AZURE_ACCOUNT.name}`
      const ask = async (method: string, path: string) => {
        const headers = { 'x-ms-version': AZURE_VERSION }
        const signed = { method, url: `${account}/${path}`, headers, body: EMPTY }
        const key = { account: AZURE_ACCOUNT.name, key: AZURE_ACCOUNT.key }
        const signature = azureSignatureHeaders(signed, key, Date.now())
        return expectOk(await fetch(signed.url, { method, headers: { ...headers, ...signature } }))
      }
      const optionsWith = (key: string) => (container: string) => ({
        container_name: container,
        connection_string: `AccountName=${AZURE_ACCOUNT.name};AccountKey=${key};BlobEndpoint=${account}`,
      })
      return {
        options: optionsWith(AZURE_ACCOUNT.key),
        refusedOptions: optionsWith('b3RoZXI='),
        create: async container => void (await ask('PUT', `${container}?restype=container`)),
        names: async container =>
          elements('Name', await (await ask('GET', `${container}?restype=container&comp=list`)).text()),
        read: async (container, name) => storedObject(await ask('GET', `${container}/${encodedPath(name)}`)),
      }
    },
  },
  {
    ...{ type: 'gcp-cloud-storage', counterpart: fakeGcs, prefixOption: 'bucket_prefix', tags: [] },
    checked: { kind: 'answered', status: 404 },
    open(url) {
      const credentials = serviceAccountKey()
      const ask = async (path: string, body?: JsonObject) =>
        expectOk(
          await fetch(`${url}/storage/v1/b${path}`, body && { method: 'POST', body: JSON.stringify(body) }),
        )
      return {
        options: bucket => ({ bucket, credentials_json: credentials }),
        redirected: request => {
          if (!request.url.startsWith(`${GOOGLE}/`)) throw new Error(`${request.url} is not Cloud Storage`)
          return { ...request, url: `${url}${request.url.slice(GOOGLE.length)}` }
        },
        create: async bucket => void (await ask('?project=weir', { name: bucket })),
        async names(bucket) {
          const { items = [] } = (await (await ask(`/${bucket}/o`)).json()) as {
            items?: readonly { name: string }[]
          }
          return items.map(({ name }) => name)
        },
        read: async (bucket, name) =>
          storedObject(await ask(`/${bucket}/o/${encodeURIComponent(name)}?alt=media`)),
      }
    },
  },
]

async function expectOk(reply: Response): Promise<Response> {
  if (!reply.ok) throw new Error(`${reply.url}: ${reply.status} ${await reply.text()}`)
  return reply
}

async function storedObject(reply: Response): Promise<StoredObject> {
  return {
    contentType: reply.headers.get('content-type'),
    body: Buffer.from(await reply.arrayBuffer()),
    tags: [],
  }
}

/** Texts of the XML elements with a name. */
function elements(name: string, xml: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) =>
    text.replaceAll(/&#x?([0-9A-Fa-f]+);|&(apos|amp|lt|gt|quot);/g, (entity, code, word) =>
      code === undefined
        ? (WORDS[word] as string)
        : String.fromCodePoint(Number(entity[2] === 'x' ? `0x${code}` : code)),
    ),
  )
}

const WORDS: Readonly<Record<string, string>> = { apos: "'", amp: '&', lt: '<', gt: '>', quot: '"' }

function encodedPath(name: string): string {
  return name.split('/').map(percentEncoded).join('/')
}
