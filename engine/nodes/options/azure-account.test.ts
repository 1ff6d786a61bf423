import { expect, test } from 'vitest'
import { azureAccountOf, connectionStringProblems } from './azure-account.ts'

const KEY = { account: 'example', key: 'a2V5' }

test.each<[string, unknown]>([
  [
    'DefaultEndpointsProtocol=https;AccountName=example;AccountKey=a2V5;EndpointSuffix=core.windows.net',
    { blobEndpoint: 'https://example.blob.core.windows.net', key: KEY, query: '' },
  ],
  [
    'accountname=example; accountkey=a2V5;EndpointSuffix=core.chinacloudapi.cn;',
    { blobEndpoint: 'https://example.blob.core.chinacloudapi.cn', key: KEY, query: '' },
  ],
  [
    'AccountName=example;AccountKey=a2V5;BlobEndpoint=http://127.0.0.1:10000/example/',
    { blobEndpoint: 'http://127.0.0.1:10000/example', key: KEY, query: '' },
  ],
  [
    'BlobEndpoint=https://example.blob.core.windows.net/;SharedAccessSignature=?sv=2021-12-02&sig=a%3D',
    { blobEndpoint: 'https://example.blob.core.windows.net', query: 'sv=2021-12-02&sig=a%3D' },
  ],
])('%s names an account', (text, account) => {
  expect(azureAccountOf(text)).toEqual(account)
  expect(connectionStringProblems('/c', text)).toEqual([])
})

test.each([
  '',
  'text',
  'AccountName=example',
  'AccountKey=a2V5',
  'UseDevelopmentStorage=true',
  'AccountName=example;AccountKey=no base64',
  'AccountName=a,b;AccountKey=a2V5',
  'AccountName=a/b;SharedAccessSignature=sig=a',
  'DefaultEndpointsProtocol=ftp;AccountName=example;AccountKey=a2V5',
  'BlobEndpoint=https://u@a.example;SharedAccessSignature=sig=a',
  'BlobEndpoint=https://a.example/?a=b;SharedAccessSignature=sig=a',
])('%j names no account that can be used, and the finding does not repeat it', text => {
  expect(azureAccountOf(text)).toBeUndefined()
  const message =
    'must be a connection string with AccountName and AccountKey, or with BlobEndpoint and SharedAccessSignature'
  expect(connectionStringProblems('/c', text)).toEqual([{ instancePath: '/c', message }])
})
