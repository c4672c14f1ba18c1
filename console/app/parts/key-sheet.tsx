// `?`: every key of the console that there is a page for.

import { PLACES } from "../shell/places.ts"
import { Dialog } from "./dialog.tsx"
import css from "./key-sheet.module.css"

const KEYS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  Everywhere: [
    ["Ctrl K", "find or do"],
    ...PLACES.map(({ key, label }) => [`G ${key.toUpperCase()}`, label.toLowerCase()] as const),
    ["?", "these keys"],
    ["Esc", "close, back"],
  ],
  Lists: [
    ["J K", "next, previous"],
    ["Enter", "open"],
    ["/", "filter"],
    [".", "show new rows"],
    ["X", "select"],
    ["C", "cancel, asked once"],
    ["N", "new run"],
  ],
  Deciding: [
    ["A", "approve"],
    ["E", "edit"],
    ["R", "reject"],
    ["1 – 9", "option or effect"],
    ["Ctrl Enter", "send or commit"],
    ["O", "open the run"],
  ],
  Effects: [
    ["Y", "it happened"],
    ["N", "it did not"],
    ["V", "all open"],
  ],
  Failures: [
    ["J K", "next, previous"],
    ["M", "mute"],
    ["D", "resolve"],
    ["Shift F", "fork all, asked once"],
  ],
  Agents: [
    ["J K", "next, previous"],
    ["N", "new agent or skill"],
    ["Ctrl S", "save"],
  ],
  Playground: [
    ["+", "add a column"],
    ["Ctrl Enter", "run the columns"],
  ],
  "A run": [
    ["J K", "next, previous step"],
    ["H L", "previous, next turn or call"],
    ["[ ]", "previous, next pass"],
    ["1 – 6", "tab of the detail"],
    ["+ − 0", "zoom the graph"],
    ["P", "pause or resume"],
    ["C", "cancel, asked once"],
    ["S", "steer"],
    ["M", "actions"],
    ["F", "fork from here"],
    ["E", "edit and run"],
    ["R", "run again"],
  ],
  "Actions of a run": [
    ["C", "compare"],
    ["T", "save as test"],
    ["Y", "copy link"],
  ],
  "A flow": [
    ["Ctrl S", "save"],
    ["Ctrl Enter", "rehearse"],
    ["F8", "next problem"],
    ["Alt .", "fix it"],
  ],
  "A past moment": [
    ["← →", "previous, next event"],
    ["Home", "first event"],
    ["L", "back to live"],
    ["F", "fork from here"],
  ],
  Comparing: [
    ["N", "next difference"],
    ["W", "swap"],
  ],
  Chat: [
    ["Enter", "send"],
    ["Shift Enter", "new line"],
    ["Esc", "stop"],
  ],
}

export function KeySheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div className={css.keygrid}>
        {Object.entries(KEYS).map(([where, keys]) => (
          <section key={where}>
            <h3>{where}</h3>
            <dl>
              {keys.map(([key, what]) => (
                <div key={key}>
                  <dt>{key.split(" ").map((one) => (one === "–" ? " – " : <kbd key={one}>{one}</kbd>))}</dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
