import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify'
import type { Needs } from './permission.ts'

export interface KnownRoute {
  readonly method: string
  /** Path as returned by `shownUrl`. */
  readonly url: string
  readonly needs: Needs | undefined
  readonly reveals: 'any line' | undefined
}

/**
 * Every route of a server. It distinguishes a known path with another method (405) from an unknown path (404), and lets a
 * test list all routes.
 */
export class RouteTable {
  readonly #options: RouteOptions[] = []
  #patterns: { readonly pattern: RegExp; readonly method: string }[] | undefined

  /** Collects the routes of the server, from the next one on. It must be called before the first route. */
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
      [method].flat().map(each => ({
        method: each as HTTPMethods,
        url: shownUrl(url),
        needs: config?.needs,
        reveals: config?.reveals,
      })),
    )
  }

  /** Methods of a path, for the `allow` header; empty for an unknown path. */
  methodsOf(path: string): string[] {
    this.#patterns ??= this.#options.flatMap(({ method, url }) =>
      [method].flat().map(each => ({ method: each as HTTPMethods, pattern: patternOf(url) })),
    )
    const methods = this.#patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    return [...new Set(methods)].sort()
  }
}

/** The pattern of a route's path without the conditions on its parameters. */
export function shownUrl(url: string): string {
  return url.replaceAll(/\([^)]*\)/g, '')
}

function patternOf(url: string): RegExp {
  const steps = url.replace(/\/+$/, '').split('/').map(patternOfStep)
  return new RegExp(`^${steps.join('/')}/?$`)
}

function patternOfStep(step: string): string {
  if (step === '*') return '.*'
  if (!step.startsWith(':')) return RegExp.escape(step)
  return /\(\^(.*)\$\)$/.exec(step)?.[1] ?? '[^/]+'
}
