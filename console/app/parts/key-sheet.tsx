// `?`: every key of the console that there is a page for.

import { Dialog } from "./dialog.tsx"

const KEYS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  Everywhere: [
    ["G R", "runs"],
    ["G F", "flows"],
    ["G A", "agents"],
    ["G C", "chat"],
    ["G S", "settings"],
    ["?", "these keys"],
    ["Esc", "close"],
  ],
  Lists: [
    ["J K", "next, previous"],
    ["Enter", "open"],
    ["/", "filter"],
    [".", "show new rows"],
    ["N", "new run"],
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
    ["S", "steer"],
    ["M", "actions"],
    ["F", "fork from here"],
    ["E", "edit and run"],
    ["R", "run again"],
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
  ],
}

export function KeySheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div className="keygrid">
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
