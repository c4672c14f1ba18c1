// The dialog itself. It opens at the field that is marked, or at its first field, or at the first button of its foot; × comes last.

import { CSPProvider } from "@base-ui/react/csp-provider"
import { Dialog } from "@base-ui/react/dialog"
import { useEffect, useRef } from "react"
import { Icon } from "../shell/icons.tsx"
import { spareButtons, typeAhead } from "../shell/typed-ahead.ts"
import { classes } from "./classes.ts"
import type { DialogProps } from "./dialog-props.ts"
import css from "./dialog.module.css"

const FIELD = 'input:not([type="hidden"], [disabled]), textarea:not([disabled]), select:not([disabled]), [contenteditable="true"]'
const WORDS = 'input:not([type]), input[type="text"], input[type="search"], input[type="password"], textarea, [data-editor]'
const READING = "[data-reading]"
/** Fields that are read first are waited for so long. */
const FIELDS_MS = 4_000

export function DialogBox({ title, isWide = false, onClose, onBegun, children }: DialogProps & { readonly onBegun: () => void }) {
  return (
    <CSPProvider disableStyleElements>
      <Dialog.Root open disablePointerDismissal onOpenChange={(isOpen) => !isOpen && onClose()}>
        <Dialog.Portal>
          <Dialog.Backdrop className={css.backdrop} />
          <Dialog.Popup className={classes(css.dialog, isWide && css.wideD)} aria-modal initialFocus={false} finalFocus={false}>
            <div className="panel-head">
              <Dialog.Title className="cut">{title}</Dialog.Title>
            </div>
            {children}
            <Begin onBegun={onBegun} />
            <Dialog.Close className={classes("btn bare square tiny", css.close)} aria-label="Close">
              <Icon name="x" />
            </Dialog.Close>
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </CSPProvider>
  )
}

/** Is there once the dialog stands: puts the focus where it begins, and what was typed until then into the field. */
function Begin({ onBegun }: { readonly onBegun: () => void }) {
  const begun = useRef(onBegun)
  begun.current = onBegun
  const here = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const box = here.current?.closest<HTMLElement>("[role=dialog]")
    const settle = (): boolean => {
      const field = box && fieldOf(box)
      if (!field) return false
      field.focus()
      if (field.matches(WORDS)) typeAhead()
      end()
      return true
    }
    /** Who has gone somewhere by themselves stays there. */
    const gone = (event: Event): void => {
      if (!(event instanceof KeyboardEvent) || event.key === "Tab" || event.key === "Enter") end()
    }
    const watcher = new MutationObserver(settle)
    const timer = setTimeout(() => end(), FIELDS_MS)
    const end = (): void => {
      begun.current()
      watcher.disconnect()
      clearTimeout(timer)
      removeEventListener("pointerdown", gone, true)
      removeEventListener("keydown", gone, true)
    }
    if (!settle() && box) {
      foot(box).focus()
      if (box.querySelector(READING) === null) end()
      else {
        watcher.observe(box, { childList: true, subtree: true, attributeFilter: ["data-reading", "data-autofocus"] })
        addEventListener("pointerdown", gone, true)
        addEventListener("keydown", gone, true)
      }
    }
    const stop = box ? spareButtons(box) : undefined
    return () => {
      stop?.()
      end()
    }
  }, [])
  return <span ref={here} hidden />
}

/** null: there is none, or it may be among what is still being read. */
function fieldOf(box: HTMLElement): HTMLElement | null {
  if (box.querySelector(READING)) return null
  const marked = box.querySelector<HTMLElement>("[data-autofocus]")
  const first = box.querySelector<HTMLElement>(FIELD)
  // Of choices that exclude each other, the chosen one.
  const isRadio = first?.matches('input[type="radio"]') === true
  return marked ?? (isRadio ? (box.querySelector<HTMLElement>('input[type="radio"]:checked') ?? first) : first)
}

const foot = (box: HTMLElement): HTMLElement => box.querySelector<HTMLElement>(".dlg-f button") ?? box
