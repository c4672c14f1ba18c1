// The list of a menu, by the library: arrows move, a letter leads to the next row that begins with it. What cannot be done stays, with its reason.

import { CSPProvider } from "@base-ui/react/csp-provider"
import { Menu } from "@base-ui/react/menu"
import { useEffect, useRef, type RefObject } from "react"
import { Icon } from "../shell/icons.tsx"
import type { MenuItem } from "./menu-item.ts"
import css from "./menu.module.css"

interface Props {
  readonly title: string
  readonly items: readonly MenuItem[]
  readonly opener: RefObject<HTMLButtonElement | null>
  /** It begins at its first row, as the keyboard expects. */
  readonly isByKey: boolean
  readonly onPick: (item: MenuItem) => void
  readonly onClose: () => void
}

export function MenuBox({ title, items, opener, isByKey, onPick, onClose }: Props) {
  return (
    <CSPProvider disableStyleElements>
      <Menu.Root
        open
        modal={false}
        onOpenChange={(isOpen, { event }) => {
          // The button closes what it has opened by itself.
          if (!isOpen && !(event.target instanceof Node && opener.current?.contains(event.target))) onClose()
        }}
      >
        <Menu.Portal>
          <Menu.Positioner className={css.menuAt} anchor={opener} sideOffset={4} align="end">
            <Menu.Popup className={css.menu} aria-label={title} finalFocus={opener}>
              <Menu.Group>
                <Menu.GroupLabel className={css.menuH}>{title}</Menu.GroupLabel>
                {items.map((item) => (
                  <Menu.Item
                    key={item.label}
                    className={css.item}
                    label={item.label}
                    disabled={item.isOff === true}
                    closeOnClick={false}
                    onClick={() => onPick(item)}
                  >
                    <Icon name={item.icon} />
                    <span>
                      <b>{item.label}</b>
                      {item.note !== undefined && <span>{item.note}</span>}
                    </span>
                    {item.key !== undefined && <kbd>{item.key}</kbd>}
                  </Menu.Item>
                ))}
              </Menu.Group>
              <Begin isByKey={isByKey} />
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </CSPProvider>
  )
}

function Begin({ isByKey }: { readonly isByKey: boolean }) {
  const here = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (isByKey) here.current?.closest("[role=menu]")?.querySelector<HTMLElement>("[role=menuitem]:not([data-disabled])")?.focus()
    // What can have the focus may not be hidden from those who cannot see it. These pass it on at once.
    const bare = requestAnimationFrame(() => {
      for (const guard of document.querySelectorAll("[data-base-ui-focus-guard]")) guard.removeAttribute("aria-hidden")
    })
    return () => cancelAnimationFrame(bare)
  }, [isByKey])
  return <span ref={here} hidden />
}
