// [T21] A page of up to 2 million characters in any shape is read in time, without a deep stack, into text that is not much longer.

import { expect, test } from "vitest"
import { htmlToMarkdown } from "../../../src/tools/web/html-markdown.ts"
import { amount } from "../../support/amount.ts"
import { cpuClock } from "../../support/cpu-clock.ts"
import { whole } from "../../support/whole.ts"

const LENGTH = amount(2_000_000, 500_000)
const full = (unit: string): string => unit.repeat(Math.ceil(LENGTH / unit.length))
const PAGES: Readonly<Record<string, string>> = {
  rows: `<table>${full("<tr><td>a<td>b")}</table>`,
  "empty rows": `<table>${full("<tr>")}</table>`,
  "a row of cells": `<table><tr>${full("<td>a")}</table>`,
  "one long row among short ones": `<table><tr>${"<td>a".repeat(2_000)}${"<tr><td>b".repeat(20_000)}</table>`,
  items: `<ul>${full("<li>a")}</ul>`,
  "sections of a table": `<table>${full("<tbody><tr><td>a<td>b")}</table>`,
  paragraphs: full("<p>a"),
  breaks: full("<br>"),
  links: full('<a href="/x">x</a>'),
  "open bold": full("<b>"),
  "open boxes": full("<div>"),
  "nested bold": full(`${"<b>".repeat(140)}x${"</b>".repeat(140)}`),
  "nested boxes": full(`${"<div>".repeat(120)}${"a".repeat(100)}${"</div>".repeat(120)}`),
  "nested tables": full("<table><tr><td>a<td>"),
  quotes: full("<blockquote>a"),
  "code with ticks": `<code>${full("`a")}</code>`,
}

/** The others nest too deeply, so they are left at once. */
const WHOLE: ReadonlySet<string> = new Set([
  "rows",
  "empty rows",
  "a row of cells",
  "items",
  "paragraphs",
  "breaks",
  "links",
  "nested boxes",
])

test.for(Object.entries(PAGES))("[T21, N4] %s: read in time, and in pieces", ([name, html]) => {
  const spent = cpuClock()
  const reading = htmlToMarkdown(html, "https://page.test/")
  let pieces = 0
  let step = reading.next()
  for (; step.done !== true; step = reading.next()) pieces++
  expect(spent()).toBeLessThan(amount(10_000, 4_000))
  expect(step.value.markdown.length).toBeLessThan(4 * html.length)
  // One for each 32 KiB that is parsed, at least.
  if (WHOLE.has(name)) expect(pieces).toBeGreaterThan(html.length / 33_000)
})

test("[T21] a table with a few missing cells is filled up, and every row is there", () => {
  const count = amount(170_000, 40_000)
  const rows = Array.from({ length: count }, (_, i) => `<tr><td>row ${i}<td>b`).join("")
  const { markdown } = whole(htmlToMarkdown(`<table><tr><td>one<td>two<td>three${rows}</table>`, "https://page.test/"))
  const lines = markdown.split("\n")
  expect(lines).toHaveLength(count + 2)
  expect(lines.slice(0, 3)).toEqual(["| one | two | three |", "| --- | --- | --- |", "| row 0 | b |  |"])
  expect(lines.at(-1)).toBe(`| row ${count - 1} | b |  |`)
})
