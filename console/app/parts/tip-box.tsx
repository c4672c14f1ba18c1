// A tooltip beside what it is about, placed by the library.

import { CSPProvider } from "@base-ui/react/csp-provider"
import { Tooltip } from "@base-ui/react/tooltip"
import css from "./popup.module.css"

export function TipBox({ of, words }: { readonly of: Element; readonly words: string }) {
  // The head of a table says what its rows are: a tooltip of the first row goes below it.
  const side = of.closest("tbody") ? "bottom" : "top"
  return (
    <CSPProvider disableStyleElements>
      <Tooltip.Root open disableHoverablePopup>
        <Tooltip.Portal>
          <Tooltip.Positioner className={css.positioner} anchor={of} side={side} sideOffset={6}>
            <Tooltip.Popup className={css.tip} role="tooltip">
              {words}
            </Tooltip.Popup>
          </Tooltip.Positioner>
        </Tooltip.Portal>
      </Tooltip.Root>
    </CSPProvider>
  )
}
