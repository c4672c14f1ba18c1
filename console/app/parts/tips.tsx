// The tooltips of the whole console. Whatever has a `title` shows it when the pointer rests on it, or when the keyboard reaches it, which the
// browser's own never does; Escape closes it. While it is shown the attribute is a description, so that the browser shows nothing beside it.

import { Suspense, useEffect, useState } from "react"
import { Guard } from "./guard.tsx"
import { later } from "./later.ts"

const TipBox = later(async () => (await import("./tip-box.tsx")).TipBox)
/** How long the pointer rests before something is said about what is below it. */
const REST_MS = 400

interface Tip {
  readonly of: Element
  readonly words: string
}

export function Tips() {
  const [tip, setTip] = useState<Tip>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = (of: Element): void => {
      const words = of.isConnected ? of.getAttribute("title") : null
      if (words) setTip({ of, words })
    }
    const over = ({ target }: Event): void => {
      clearTimeout(timer)
      const of = titled(target)
      setTip((shown) => (shown?.of === of ? shown : undefined))
      if (of) timer = setTimeout(() => show(of), REST_MS)
    }
    const focused = ({ target }: Event): void => {
      clearTimeout(timer)
      const of = target instanceof Element && target.matches(":focus-visible") ? titled(target) : null
      setTip(undefined)
      if (of) timer = setTimeout(() => show(of), 0)
    }
    const away = (event: Event): void => {
      if (event instanceof KeyboardEvent && event.key !== "Escape") return
      clearTimeout(timer)
      setTip(undefined)
    }
    const heard = [
      ["pointerover", over],
      ["focusin", focused],
      ["focusout", away],
      ["pointerdown", away],
      ["keydown", away],
    ] as const
    for (const [name, listen] of heard) addEventListener(name, listen, true)
    document.documentElement.addEventListener("pointerleave", away)
    return () => {
      clearTimeout(timer)
      for (const [name, listen] of heard) removeEventListener(name, listen, true)
      document.documentElement.removeEventListener("pointerleave", away)
    }
  }, [])
  useEffect(() => {
    if (!tip) return
    tip.of.removeAttribute("title")
    const described = tip.of.getAttribute("aria-description")
    if (described === null) tip.of.setAttribute("aria-description", tip.words)
    return () => {
      if (!tip.of.hasAttribute("title")) tip.of.setAttribute("title", tip.words)
      if (described === null) tip.of.removeAttribute("aria-description")
    }
  }, [tip])
  if (!tip) return null
  return (
    <Guard of={tip.words} what="A tooltip" instead={null}>
      <Suspense fallback={null}>
        <TipBox of={tip.of} words={tip.words} />
      </Suspense>
    </Guard>
  )
}

const titled = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest("[title], [aria-description]:not([title])") : null
