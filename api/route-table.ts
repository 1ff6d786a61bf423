import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify'
import type { Needs } from './auth/permission.ts'

export interface KnownRoute {
  readonly method: string
  readonly url: string
  readonly needs: Needs | undefined
  readonly reveals: 'any line' | undefined
}

/**
 * Every route of a server: tells a known path with another method (405) from an unknown one (404), and lets a
 * test walk them.
 */
export class RouteTable {
  readonly #options: RouteOptions[] = []
  #patterns: { readonly pattern: RegExp; readonly method: string }[] | undefined

  /** Must be attached before the first route. */
  attach(app: FastifyInstance): void {
    app.addHook('onRoute', options => {
      this.#options.push(options)
    })
    app.addHook('onReady', async () => {
      const undeclared = this.routes().filter(({ needs }) => needs === undefined)
      if (undeclared.length === 0) return
      const names = undeclared.map(({ method, url }) => `${method} ${url}`).join(', ')
      throw new Error(`these routes do not say whom they are for (config.needs): ${names}`)
    })
  }

  routes(): KnownRoute[] {
    return this.#options.flatMap(({ method, url, config }) =>
      [method]
        .flat()
        .map(each => ({ method: each as HTTPMethods, url, needs: config?.needs, reveals: config?.reveals })),
    )
  }

  /** Methods that the path takes, for the `allow` header; empty when it is unknown. */
  methodsOf(path: string): string[] {
    this.#patterns ??= this.routes().map(({ method, url }) => ({ method, pattern: patternOf(url) }))
    const methods = this.#patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    return [...new Set(methods)].sort()
  }
}

function patternOf(url: string): RegExp {
  const steps = url
    .replace(/\/+$/, '')
    .split('/')
    .map(step => (step.startsWith(':') ? '[^/]+' : step === '*' ? '.*' : escaped(step)))
  return new RegExp(`^${steps.join('/')}/?$`)
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
