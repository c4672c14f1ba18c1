// Makes a component whose file comes with its first use, and is asked for anew after it did not come: React keeps a failed import for good.

import { createElement, lazy, type ComponentType } from "react"

const failed = new Set<() => void>()

/** What did not come is asked for again when it is next shown. */
export function forgetFailed(): void {
  for (const forget of failed) forget()
  failed.clear()
}

export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const come = () =>
    lazy(async () => {
      try {
        await lostStyles()
        return { default: await load() }
      } catch (error) {
        failed.add(() => {
          Current = come()
        })
        throw error
      }
    })
  let Current = come()
  return function Later(props) {
    return createElement(Current, props)
  }
}

const lost = new Set<string>()

// The bundler asks for a style sheet once, whether it comes or not: what did not would be missing from a page that does.
addEventListener(
  "error",
  ({ target }) => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== "stylesheet") return
    lost.add(target.href)
    target.remove()
  },
  true,
)

const lostStyles = (): Promise<unknown> =>
  Promise.all(
    [...lost].map(
      (href) =>
        new Promise<void>((resolve, reject) => {
          const link = Object.assign(document.createElement("link"), { rel: "stylesheet", crossOrigin: "", href })
          link.addEventListener("load", () => {
            lost.delete(href)
            resolve()
          })
          link.addEventListener("error", () => reject(new Error(`The import of ${href} has failed again.`)))
          document.head.append(link)
        }),
    ),
  )
