// docs/PARITY.md against the tests: every row of the other systems' inventory has a line, and every test it names exists.

import { existsSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"

const root = new URL("../../", import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), "utf8")

const span = (letter: string, from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, i) => `${letter}${from + i}`)
const ROWS = [
  ...span("A", 1, 19),
  ...span("B", 1, 16),
  ...[span("C", 1, 6), span("C", 10, 26), span("C", 30, 35), span("C", 40, 51)].flat(),
  ...[span("D", 1, 6), span("D", 10, 17), span("D", 20, 28), span("D", 30, 32)].flat(),
  ...span("S", 1, 17),
]
const TOOLS =
  "file.read file.write file.edit file.list shell.exec process.* web.fetch web.search browser.* memory.read memory.write memory.search minio.share minio.ingest minio.sync k8s.pods k8s.deployments k8s.logs media.send image.analyze audio.transcribe system.info sessions.list sessions.delete"

interface Row {
  readonly id: string
  readonly state: string
  readonly shown: string
  readonly remarks: string
}
const rows: Row[] = read("docs/PARITY.md")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| row "))
  .map((line) => {
    const [, id = "", , state = "", shown = "", remarks = ""] = line.split(/(?<!\\) ?\| ?/)
    return { id, state, shown: shown.replaceAll("\\|", "|"), remarks }
  })

describe("docs/PARITY.md", () => {
  test("[T2] has every row once, and every built-in tool of Flynn", () => {
    const numbered = rows.map((r) => r.id).filter((id) => /^[A-DS]\d+$/.test(id))
    expect(numbered).toEqual(ROWS)
    const named = new Set(rows.flatMap((r) => r.id.split(" ")))
    expect(TOOLS.split(" ").filter((tool) => !named.has(tool))).toEqual([])
  })

  test("[T2] gives each row's status: done with an existing test, or the reason why not", () => {
    const faults: string[] = []
    for (const { id, state, shown, remarks } of rows) {
      if (!["done", "deviates", "not done"].includes(state)) faults.push(`${id}: "${state}"`)
      if (state === "done" ? shown === "" : remarks === "") faults.push(`${id}: nothing shows it, nothing explains it`)
      for (const [, file = "", words = ""] of shown.matchAll(/`([^`]+)` (.*?)(?=; `|$)/g)) {
        const path = `test/${file}.test.ts`
        if (!existsSync(new URL(path, root)) || !read(path).includes(words)) faults.push(`${id}: no test "${words}" in ${path}`)
      }
    }
    expect(faults).toEqual([])
  })
})
