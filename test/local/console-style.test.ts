import { expect, it } from "vitest"
import { reaching } from "../../scripts/console-style.ts"

const PAGES = ["graph", "run-head"]

it("[B2] a selector of a page's sheet has a class of a module, whatever else it has", () => {
  const sheet = `@layer pages{.run-head_title,.graph_fr .btn.first{margin:0}#app:has(>main.graph_run){height:1px}
    @media (width<=767px){:is(.graph_fr,.graph_el):hover{top:0}}@keyframes come{from{top:1px}to{top:0}}}`
  expect(reaching(sheet, PAGES)).toEqual([])
})

it.each([".fr", ".btn.first", "main > svg", "main:not(.graph_run)", ".other_fr"])("[B2] %s reaches other pages", (selector) => {
  expect(reaching(`@layer pages{.graph_fr,${selector}{content:"{.graph_fr}"}}`, PAGES)).toEqual([selector])
})
