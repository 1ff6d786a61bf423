import { expect, test } from 'vitest'
import { AccountVariables } from './account-variables.ts'

test('a pipeline is in the state normal until others are set, which replace all of them', () => {
  const variables = new AccountVariables()
  const ofPipeline = variables.of('p')
  expect([ofPipeline.get('operational_state'), ofPipeline.get('colour'), variables.has('p')]).toEqual([
    'normal',
    null,
    false,
  ])
  variables.set('p', { operational_state: 'incident', colour: 'red' })
  // Graphs keep the object.
  expect([ofPipeline.get('operational_state'), ofPipeline.get('colour'), variables.has('p')]).toEqual([
    'incident',
    'red',
    true,
  ])
  variables.set('p', { operational_state: 'deploy' })
  expect([ofPipeline.get('operational_state'), ofPipeline.get('colour')]).toEqual(['deploy', null])
  expect(ofPipeline.get('constructor')).toBeNull()
  expect(variables.of('q').get('operational_state')).toBe('normal')
})
