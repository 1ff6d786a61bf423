import type { NodeDeclaration } from './node-declaration.ts'

/** Finds declarations by their type or one of their aliases. */
export function byWireId<Declaration extends NodeDeclaration>(
  declarations: readonly Declaration[],
): ReadonlyMap<string, Declaration> {
  return new Map(
    declarations.flatMap(declaration =>
      [declaration.type, ...(declaration.aliases ?? [])].map(type => [type, declaration] as const),
    ),
  )
}
