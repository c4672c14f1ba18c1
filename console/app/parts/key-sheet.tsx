// `?`: every key of the console, as the table of keys has them.

import { KEYS, shownKeys, type KeyLine } from "../shell/key-table.ts"
import { Dialog } from "./dialog.tsx"
import css from "./key-sheet.module.css"

const partsOf = ({ acts, shown }: KeyLine): readonly string[] =>
  (shown === undefined ? Object.values(acts) : [shown]).flatMap((binding) => shownKeys(binding))

export function KeySheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div className={css.keygrid}>
        {Object.values(KEYS).map(({ title, lines }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {lines
                .filter(({ does }) => does !== "")
                .map((line: KeyLine) => (
                  <div key={line.does}>
                    <dt>{partsOf(line).map((one, i) => (one === "–" ? " – " : <kbd key={`${i} ${one}`}>{one}</kbd>))}</dt>
                    <dd>{line.does}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
