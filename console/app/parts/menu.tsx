// A button that opens a menu. Arrows move, a letter picks, Escape closes and gives the focus back. What cannot be done stays, with its reason.

import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react"
import { Icon, type IconName } from "../shell/icons.tsx"
import css from "./menu.module.css"

export interface MenuItem {
  readonly label: string
  readonly icon: IconName
  /** The second line: what is kept, what is paid, or why it cannot be done. */
  readonly note?: string
  readonly key?: string
  readonly isOff?: boolean
  readonly act: () => void
}

interface Props {
  readonly title: string
  readonly items: readonly MenuItem[]
  readonly className?: string
  readonly children: ReactNode
  /** Opened from outside, by a key of the page. */
  readonly opened?: number
}

export function Menu({ title, items, className = "btn", children, opened = 0 }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [id, opener, list] = [useId(), useRef<HTMLButtonElement>(null), useRef<HTMLDivElement>(null)]
  useEffect(() => {
    if (opened > 0) setOpen(true)
  }, [opened])
  const close = (): void => {
    setOpen(false)
    opener.current?.focus()
  }
  useEffect(() => {
    if (!isOpen) return
    list.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus()
    const away = ({ target }: Event): void => {
      if (target instanceof Node && !list.current?.contains(target) && !opener.current?.contains(target)) setOpen(false)
    }
    addEventListener("pointerdown", away)
    return () => removeEventListener("pointerdown", away)
  }, [isOpen])
  const pick = (item: MenuItem): void => {
    if (item.isOff === true) return
    close()
    item.act()
  }
  const pressed = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])]
    const at = rows.findIndex((row) => row === document.activeElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
    const item = items.find(({ key }) => key?.toLowerCase() === event.key.toLowerCase())
    if (to !== undefined) rows.at(to === rows.length ? 0 : to)?.focus()
    else if (event.key === "Escape" || event.key === "Tab") close()
    else if (item) pick(item)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <span className={css.menuAt}>
      <button
        ref={opener}
        className={className}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && (
        <div className={css.menu} ref={list} onKeyDown={pressed}>
          <p className={css.menuH}>{title}</p>
          <div role="menu" id={id} aria-label={title}>
            {items.map((item) => (
              <button
                key={item.label}
                role="menuitem"
                type="button"
                tabIndex={-1}
                aria-disabled={item.isOff === true}
                onClick={() => pick(item)}
              >
                <Icon name={item.icon} />
                <span>
                  <b>{item.label}</b>
                  {item.note !== undefined && <span>{item.note}</span>}
                </span>
                {item.key !== undefined && <kbd>{item.key}</kbd>}
              </button>
            ))}
          </div>
        </div>
      )}
    </span>
  )
}
