// The computed style of everything on a page. Not the used one: a width in pixels depends on what a row says now, and the rule that gives it does not.

import type { Page } from "playwright-core"

/** Of each element, by its place in the document. */
export type Computed = ReadonlyMap<string, Readonly<Record<string, string>>>

export async function computed(page: Page): Promise<Computed> {
  await settled(page)
  const { styles, of } = await page.evaluate(() => {
    const styles: Record<string, string>[] = []
    const known = new Map<string, number>()
    const of: [place: string, style: number][] = []
    const kept = (style: Record<string, string>): number => {
      const text = JSON.stringify(style)
      const at = known.get(text) ?? styles.push(style) - 1
      known.set(text, at)
      return at
    }
    const LOGICAL = /^(?:inset|margin|padding|border|scroll-margin|scroll-padding)-(?:block|inline)|^(?:min-|max-)?(?:block|inline)-size$/
    const look = (node: Element, place: string): void => {
      // What a part computes for itself is not of a sheet: where a bar begins, how far a mark has turned.
      const own = new Set([...(node instanceof HTMLElement || node instanceof SVGElement ? node.style : []), "transform"])
      const style: Record<string, string> = {}
      for (const [name, value] of node.computedStyleMap())
        if (!own.has(name) && !LOGICAL.test(name)) style[name] = value.join(" ").replace(/url\("#.*"\)/, "its own mark")
      of.push([place, kept(style)])
      for (const part of ["::before", "::after"]) {
        const drawn = getComputedStyle(node, part)
        if (drawn.content !== "none" && drawn.content !== "normal")
          of.push([
            `${place}${part}`,
            kept(
              Object.fromEntries(["content", "position", "color", "border", "font"].map((name) => [name, drawn.getPropertyValue(name)])),
            ),
          ])
      }
      const seen = new Map<string, number>()
      for (const child of node.children) {
        const no = (seen.get(child.localName) ?? 0) + 1
        seen.set(child.localName, no)
        look(child, `${place} > ${child.localName}${no === 1 ? "" : `(${no})`}`)
      }
    }
    look(document.body, "body")
    return { styles, of }
  })
  return new Map(of.map(([place, at]) => [place, styles[at] ?? {}]))
}

/** What differs, a line for each element: the first few properties. What only one of the pages has is not compared. */
export function differences(fresh: Computed, visited: Computed): string[] {
  return [...visited].flatMap(([place, other]) => {
    const one = fresh.get(place)
    if (!one) return []
    const names = Object.keys(other).filter((name) => one[name] !== other[name])
    return names.length === 0
      ? []
      : [
          `${place}: ${names
            .slice(0, 3)
            .map((name) => `${name} ${one[name]} → ${other[name]}`)
            .join("; ")}`,
        ]
  })
}

/** Nothing is being read, nothing has the focus or the mouse, and no element comes or goes for a while. */
export async function settled(page: Page): Promise<void> {
  await page.mouse.move(0, 0)
  await page.evaluate(async () => {
    const QUIET_MS = 300
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    let last = performance.now()
    const watch = new MutationObserver((changes) => {
      if (changes.some(({ addedNodes, removedNodes }) => [...addedNodes, ...removedNodes].some((node) => node instanceof Element)))
        last = performance.now()
    })
    watch.observe(document.body, { childList: true, subtree: true })
    const isReading = (): boolean =>
      document.querySelector("main h1") === null || document.querySelector("[data-reading], main[aria-busy='true']") !== null
    while (isReading() || performance.now() - last < QUIET_MS) await new Promise((resolve) => setTimeout(resolve, 50))
    watch.disconnect()
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  })
}
