// On a small screen the bar has the places that are gone to most; the others are in a sheet.

import { useState } from "react"
import { Dialog } from "../parts/dialog.tsx"
import { Icon } from "./icons.tsx"
import { Link } from "./link.tsx"
import { addressOf } from "./place.ts"
import { PLACES } from "./places.ts"
import css from "./shell.module.css"

/** Places that stand in the bar. */
export const IN_BAR = 4

export function MorePlaces({ at }: { readonly at: string }) {
  const [isOpen, setOpen] = useState(false)
  const others = PLACES.slice(IN_BAR)
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-current={others.some(({ name }) => name === at) ? "page" : undefined}
        onClick={() => setOpen(true)}
      >
        <Icon name="more" />
        More
      </button>
      {isOpen && (
        <Dialog title="More" onClose={() => setOpen(false)}>
          <nav className={css.sheet} aria-label="More places" onClick={() => setOpen(false)}>
            {others.map(({ name, label, icon }) => (
              <Link key={name} href={addressOf(name)} aria-current={name === at ? "page" : undefined}>
                <Icon name={icon} />
                {label}
              </Link>
            ))}
          </nav>
        </Dialog>
      )}
    </>
  )
}
