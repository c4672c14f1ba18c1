// `sluice docs`: the manual that comes with the package, for people and for the coding agents that write their flows.

import { plain } from "../../local/show-run.ts"
import { Trouble } from "../../local/trouble.ts"
import type { Command } from "../command.ts"
import { pagesIn, type DocPage } from "../docs/doc-pages.ts"
import { pageNamed, placesOf, type Place } from "../docs/find-pages.ts"
import { EXIT } from "../exit.ts"
import { ROOT } from "../root.ts"

const MOST_PLACES = 20
const MOST_LINE = 110

export const docs: Command = {
  name: "docs",
  says: "print a page of the manual, or the places that mention some words; without words, list the pages",
  words: ["[words...]"],
  examples: ["docs", "docs steps", "docs hook", "docs AV-TOOLS", "docs budget of the day"],
  offline: true,
  async run(context, words) {
    const pages = await pagesIn(ROOT)
    const wanted = words.list(0)
    if (wanted.length === 0) {
      const width = Math.max(...pages.map(({ id }) => id.length))
      context.show({ pages: pages.map(({ id, title }) => ({ id, title })) }, () => [
        ...pages.map(({ id, title }) => `${id.padEnd(width)}  ${title}`),
        "",
        "sluice docs PAGE prints one; other words are searched for",
      ])
      return EXIT.ok
    }
    const found = placesOf(pages, wanted)
    const page = pageNamed(pages, wanted) ?? onlyPage(pages, found)
    if (page !== undefined) {
      context.show({ id: page.id, title: page.title, content: page.text }, () => [page.text.trimEnd()])
      return EXIT.ok
    }
    if (found.length === 0)
      throw new Trouble(`the manual has nothing about "${plain(wanted.join(" "))}": sluice docs lists its pages`, EXIT.failed)
    context.show({ found }, () => [
      ...found
        .slice(0, MOST_PLACES)
        .map(({ page: id, heading, line }) => `${id}: ${heading}\n    ${found.length === 1 ? line : cut(line)}`),
      ...(found.length > MOST_PLACES ? [`and ${found.length - MOST_PLACES} more: give more words`] : []),
      "",
      "sluice docs PAGE prints one",
    ])
    return EXIT.ok
  },
}

/** A page that alone has the words, unless it is so long that the place is what was asked for. */
function onlyPage(pages: readonly DocPage[], found: readonly Place[]): DocPage | undefined {
  const ids = new Set(found.map(({ page }) => page))
  const only = ids.size === 1 ? pages.find(({ id }) => ids.has(id)) : undefined
  return only !== undefined && only.text.split("\n").length <= MOST_LINES ? only : undefined
}
const MOST_LINES = 120

const cut = (line: string): string => (line.length > MOST_LINE ? `${line.slice(0, MOST_LINE - 1)}…` : line)
