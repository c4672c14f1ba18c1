// A button that opens a menu. A letter picks, Escape closes and gives the focus back. The library comes once a button stands there.

import { Suspense, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react"
import { Guard } from "./guard.tsx"
import { later } from "./later.ts"
import type { MenuItem } from "./menu-item.ts"

interface Props {
  readonly title: string
  readonly items: readonly MenuItem[]
  readonly className?: string
  readonly children: ReactNode
  /** Opened from outside, by a key of the page. */
  readonly opened?: number
}

const box = () => import("./menu-box.tsx")
const MenuBox = later(async () => (await box()).MenuBox)

export function Menu({ title, items, className = "btn", children, opened = 0 }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [isByKey, setByKey] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  useEffect(() => void box().catch(() => undefined), [])
  useLayoutEffect(() => {
    if (opened === 0) return
    setByKey(true)
    setOpen(true)
  }, [opened])
  const current = useRef(items)
  current.current = items
  const pick = (item: MenuItem): void => {
    if (item.isOff === true) return
    setOpen(false)
    opener.current?.focus()
    item.act()
  }
  useLayoutEffect(() => {
    if (!isOpen) return
    // From the first moment on, also before the list stands there: who knows the keys is faster.
    const pressed = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const item = current.current.find(({ key }) => key?.toLowerCase() === event.key.toLowerCase())
      if (item) pick(item)
      else if (event.key === "Escape") {
        setOpen(false)
        opener.current?.focus()
      } else return
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    addEventListener("keydown", pressed, true)
    return () => removeEventListener("keydown", pressed, true)
  }, [isOpen])
  return (
    <>
      <button
        ref={opener}
        className={className}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={({ detail }) => {
          // The keyboard's click is no press of a pointer.
          setByKey(detail === 0)
          setOpen(!isOpen)
        }}
      >
        {children}
      </button>
      {isOpen && (
        <Guard of="" what={`“${title}”`} onClose={() => setOpen(false)}>
          <Suspense fallback={null}>
            <MenuBox title={title} items={items} opener={opener} isByKey={isByKey} onPick={pick} onClose={() => setOpen(false)} />
          </Suspense>
        </Guard>
      )}
    </>
  )
}
