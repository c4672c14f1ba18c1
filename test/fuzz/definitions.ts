// Definitions built to be expensive: each bomb through every door that reads such a text, in its own wrapping.

import { zip } from "../support/engine/zip-archive.ts"
import type { Asked, Stand } from "./stand.ts"
import { AGENT_TEXT, CODE_BOMBS, MARKDOWN_BOMBS, YAML_BOMBS } from "./texts.ts"

export async function attackDefinitions(stand: Stand, key: string): Promise<void> {
  const put = (path: string, body: string, type: string): Asked => ({ method: "PUT", path, key, body, type })
  const send = (method: string, path: string, value: unknown): Asked => ({
    method,
    path,
    key,
    body: JSON.stringify(value),
    type: "application/json",
  })
  const check = (kind: string, content: string): Asked => send("POST", "/v1/validate", { kind, content })
  const shoot = (id: string, name: string, asked: Asked): Promise<unknown> =>
    stand.judge(`${id} with ${name}`, asked, { operation: stand.operation(id) })

  for (const [name, make] of Object.entries(YAML_BOMBS)) {
    const text = make()
    await shoot("putFlow", name, put("/v1/flows/bomb", text, "application/yaml"))
    await shoot("checkFlow", name, { method: "GET", path: "/v1/flows/bomb/check", key })
    await shoot("getFlowGraph", name, { method: "GET", path: "/v1/flows/bomb/graph", key })
    await shoot("putRehearsal", name, put("/v1/flows/bomb/rehearsal", text, "application/yaml"))
    for (const kind of ["flow", "rehearsal"]) await shoot("validate", `${name} as ${kind}`, check(kind, text))
    await shoot("replaceCatalog", name, send("PUT", "/v1/catalog", { flows: { "bomb.yaml": text } }))
    await shoot("importTools", name, send("POST", "/v1/tools/import", { openapi: text }))
  }
  for (const [name, make] of Object.entries(MARKDOWN_BOMBS)) {
    const text = make()
    await shoot("putAgent", name, put("/v1/agents/bomb", text, "text/markdown"))
    await shoot("putSkillFile", name, put("/v1/skills/bomb/SKILL.md", text, "text/markdown"))
    for (const kind of ["agent", "skill"]) await shoot("validate", `${name} as ${kind}`, check(kind, text))
    await shoot("importFiles", name, send("POST", "/v1/import", { files: { "agents/bomb.md": text, "bomb/SKILL.md": text } }))
    await shoot("putPackage", name, send("PUT", "/v1/packages/bomb", { version: "1", agents: { "bomb.md": text } }))
  }
  for (const [name, make] of Object.entries(CODE_BOMBS)) {
    const text = make()
    await shoot("putHandler", name, put("/v1/code/bomb/compute", text, "text/typescript"))
    await shoot("validate", `${name} as code`, check("code", text))
  }
  for (const [name, body] of zips())
    await shoot("importFiles", name, { method: "POST", path: "/v1/import?write=1", key, body, type: "application/zip" })
  const many = (n: number, text: string): Record<string, string> =>
    Object.fromEntries(Array.from({ length: n }, (_, at) => [`f${at}.md`, text]))
  await shoot("replaceCatalog", "6,000 agents", send("PUT", "/v1/catalog", { agents: many(6_000, AGENT_TEXT) }))
  await shoot("replaceCatalog", "40,000 empty files", send("PUT", "/v1/catalog", { agents: many(40_000, "") }))
  await shoot("importFiles", "20,000 files", send("POST", "/v1/import", { files: many(20_000, "x") }))
  await shoot(
    "replaceCatalog",
    "paths that climb",
    send("PUT", "/v1/catalog", { agents: { "../../x.md": AGENT_TEXT, "a/../../b.md": AGENT_TEXT, "\u0000.md": AGENT_TEXT } }),
  )
}

/** Small to send; large, numerous or misplaced when opened. */
function zips(): readonly (readonly [string, Buffer])[] {
  const zeros = Buffer.alloc(60_000_000)
  const member = (name: string, text = AGENT_TEXT) => ({ name, body: Buffer.from(text) })
  const right = Buffer.from(zip([member("agents/a.md")]))
  const said = (at: number, value: number): Buffer => {
    const copy = Buffer.from(right)
    copy.writeUInt32LE(value >>> 0, copy.length + at)
    return copy
  }
  return [
    ["a member of 60 MB", Buffer.from(zip([{ name: "agents/a.md", body: zeros }]))],
    ["ten members of 60 MB", Buffer.from(zip(Array.from({ length: 10 }, (_, n) => ({ name: `agents/a${n}.md`, body: zeros }))))],
    ["8,000 members", Buffer.from(zip(Array.from({ length: 8_000 }, (_, n) => member(`agents/a${n}.md`, "x"))))],
    [
      "names that climb",
      Buffer.from(zip([member("../../a.md"), member("/etc/a.md"), member("a\\..\\b.md"), member("agents/\u0000.md"), member("")])),
    ],
    ["a link", Buffer.from(zip([{ ...member("agents/a.md", "/etc/passwd"), mode: 0o120777 }]))],
    ["the same name twice", Buffer.from(zip([member("agents/a.md"), member("agents/a.md", "other")]))],
    ["a directory at a wrong offset", said(-6, 0xffffffff)],
    ["a directory with a wrong size", said(-10, 0x7fffffff)],
    ["an archive that ends early", right.subarray(0, right.length - 30)],
    ["an end only", right.subarray(right.length - 22)],
    ["no member's bytes", Buffer.from(right.fill(0xff, 40, 60))],
  ]
}
