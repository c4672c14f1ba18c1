// Says what a word means, while the pointer rests on it.

import type { Extension } from "@codemirror/state"
import { hoverTooltip } from "@codemirror/view"

const WORD = /[\w@-]/

export function meanings(about: (word: string, upTo: string) => string | undefined): Extension {
  return hoverTooltip(({ state }, pos) => {
    const line = state.doc.lineAt(pos)
    let [from, to] = [pos - line.from, pos - line.from]
    while (from > 0 && WORD.test(line.text.charAt(from - 1))) from -= 1
    while (to < line.text.length && WORD.test(line.text.charAt(to))) to += 1
    const word = line.text.slice(from, to)
    const words = word === "" ? undefined : about(word, state.doc.sliceString(0, line.from + to))
    if (words === undefined) return null
    return {
      pos: line.from + from,
      end: line.from + to,
      above: true,
      create() {
        const dom = document.createElement("div")
        dom.className = "meaning"
        const name = document.createElement("b")
        name.textContent = word
        dom.append(name, ` ${words}`)
        return { dom }
      },
    }
  })
}
