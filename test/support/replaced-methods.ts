/** An object with some of its methods replaced; the others run on the object itself. */
export function withReplaced<Methods extends object>(object: Methods, replaced: Partial<Methods>): Methods {
  return new Proxy(object, {
    get: (target, name) => {
      const value = Reflect.get(replaced, name) ?? Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
