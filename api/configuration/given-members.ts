/** Of some members those that are there. */
export function givenMembers<Value extends object, Name extends keyof Value>(
  value: Value,
  names: readonly Name[],
): Partial<Pick<Value, Name>> {
  const present = names.filter(name => value[name] !== undefined)
  return Object.fromEntries(present.map(name => [name, value[name]])) as Partial<Pick<Value, Name>>
}
