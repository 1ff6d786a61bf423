import { useSearchParams } from 'wouter'

/** The tab of a page, as its address has it. The first one is not written there. */
export function useTab<Name extends string>(
  names: readonly [Name, ...Name[]],
): readonly [Name, (name: Name) => void] {
  const [parameters, setParameters] = useSearchParams()
  const present = names.find(each => each === parameters.get('tab')) ?? names[0]
  const choose = (name: Name) =>
    setParameters(before => {
      if (name === names[0]) before.delete('tab')
      else before.set('tab', name)
      return before
    })
  return [present, choose]
}
