/** Returns the listed members that are defined. */
export function givenMembers<Value extends object, Name extends keyof Value>(
  value: Value,
  names: readonly Name[],
): Partial<Pick<Value, Name>> {
  const present = names.filter(name => value[name] !== undefined)
  return Object.fromEntries(present.map(name => [name, value[name]])) as Partial<Pick<Value, Name>>
}
