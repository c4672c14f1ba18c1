import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"

const CODE = /^(?:action|bench|cli|local|package|scripts|src|web)\/.*\.(?:ts|tsx|mjs)$/
const COMMENT = /^\s*(?:\/\/|\/\*\*?|\*)\s(.*)$|\s(?:\/\/|\/\*\*?)\s(.*)$/
const PATH = /(?<![\w/.@$*{}-])(?:[\w-]+\/)*[a-z][\w.-]*\.(?:ts|tsx|mjs)(?![\w/])|(?<![\w/.-])docs\/[\w/-]*\w(?:\.md)?/g
/** Files of a tenant's catalog or project, of a build, and examples. */
const ELSEWHERE = /^(?:(?:flows|code|dist)\/|sluice\.d\.ts$|(?:a|index|chunk-\w+)\.(?:ts|tsx|mjs)$)|[A-Z]{2}/

test("every path in a comment exists", () => {
  const all = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" }).split("\n")
  const ends = new Set(all.flatMap((file) => file.split("/").map((_, at, parts) => parts.slice(at).join("/"))))
  const folders = new Set(all.map((file) => path.dirname(file)))
  const exists = (name: string, from: string): boolean =>
    ends.has(name) || folders.has(name) || ends.has(path.join(path.dirname(from), name)) || all.some((file) => file.startsWith(`${name}-`))
  const gone = all
    .filter((file) => CODE.test(file) && !file.endsWith(".gen.ts"))
    .flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .flatMap((line, at) => {
          const [, whole, beside] = COMMENT.exec(line) ?? []
          const names = (whole ?? beside ?? "").match(PATH) ?? []
          return names.filter((name) => !ELSEWHERE.test(name) && !exists(name, file)).map((name) => `${file}:${at + 1} ${name}`)
        }),
    )
  expect(gone).toEqual([])
})
