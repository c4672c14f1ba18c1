// [H12] What an MCP client reads besides tools: resources, prompts, completions, and the results of earlier runs; and ask_user. Through the
// whole Worker, with the official client, in both revisions.

import { SkillsClient } from "@modelcontextprotocol/client/ext/skills"
import { Client, StreamableHTTPClientTransport, type ElicitResult } from "@modelcontextprotocol/client"
import { SELF } from "cloudflare:test"
import { beforeAll, describe, expect, test } from "vitest"

const KEY = "Bearer sl_local_dev"
const headers = { authorization: KEY, "content-type": "application/json" }

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const r = await SELF.fetch(`http://sluice${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  const text = await r.text()
  if (!r.ok) throw new Error(`${method} ${path}: ${r.status} ${text}`)
  return JSON.parse(text) as T
}

async function connect(era: "legacy" | "modern", answers?: () => ElicitResult, key = KEY): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: answers ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" } },
  )
  if (answers) client.setRequestHandler("elicitation/create", async () => answers())
  const transport = new StreamableHTTPClientTransport(new URL("http://sluice/mcp"), {
    requestInit: { headers: { authorization: key } },
    fetch: (url, init) => SELF.fetch(String(url), init as RequestInit),
  })
  await client.connect(transport)
  return client
}

const textOf = (result: { readonly content?: unknown }): string =>
  Array.isArray(result.content) ? result.content.map((part: { text?: string }) => part.text).join("\n") : ""

let run = ""

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: { "writer.md": "---\nname: writer\ndescription: w\nmodel: rehearsal/default\ntools: write\n---\nWrite.\n" },
    flows: {
      "legal/report.yaml":
        "name: report\ndescription: writes a report\ntask_required: true\ninputs:\n  deep: { type: boolean }\n  pages: { type: number, default: 3 }\nsteps:\n  - { id: one, type: agent, agent: writer }\n",
      "legal/report.rehearsal.yaml": `steps:\n  one:\n    - calls: [{ tool: write, args: { path: "my dir/out 1.md", content: "# hello" } }]\n    - finish: { status: complete, summary: "${"long ".repeat(3000)}" }\n`,
    },
    skills: { "house/SKILL.md": "---\nname: house\ndescription: the house style\n---\n# Style\n", "house/more.md": "more" },
  })
  const started = await SELF.fetch("http://sluice/v1/flows/legal:report/runs", {
    method: "POST",
    headers: { ...headers, prefer: "wait=30" },
    body: JSON.stringify({ task: "x", rehearse: true }),
  })
  run = ((await started.json()) as { id: string }).id
})

describe.each(["legacy", "modern"] as const)("reading over MCP, %s", (era) => {
  test("[H12] skills are listed by the Skills extension, and their files are what their hashes say", async () => {
    const skills = new SkillsClient(await connect(era))
    const listed = await skills.list()
    const house = listed.skills.find(({ frontmatter }) => frontmatter.name === "house")
    if (!house) throw new Error("the skill is not listed")
    expect(house).toMatchObject({ uri: "sluice://skills/house/SKILL.md", frontmatter: { description: "the house style" } })
    expect((await skills.get(house.uri)).skill).toEqual(house)
    const resources = house.resources === "dynamic" ? [] : house.resources
    expect(resources.map(({ uri }) => uri)).toEqual(["sluice://skills/house/SKILL.md", "sluice://skills/house/more.md"])
    for (const { uri } of resources) expect(await skills.read(house, uri)).toMatchObject({ uri })
    await expect(skills.get("sluice://skills/nobody/SKILL.md")).rejects.toThrow(/No skill is served/)
  })

  test("[H12] skills and the files of runs are resources, and are read with their bytes", async () => {
    const client = await connect(era)
    const { resources } = await client.listResources()
    const uris = resources.map(({ uri }) => uri)
    const file = `sluice://runs/${run}/files/my%20dir/out%201.md`
    expect(uris).toEqual(expect.arrayContaining(["sluice://skills/house/SKILL.md", "sluice://skills/house/more.md", file]))
    expect((await client.readResource({ uri: file })).contents).toMatchObject([{ uri: file, text: "# hello" }])
    expect((await client.readResource({ uri: "sluice://skills/house/more.md" })).contents).toMatchObject([{ text: "more" }])
    const view = (await client.readResource({ uri: `sluice://runs/${run}` })).contents[0] as { mimeType: string; text: string }
    expect([view.mimeType, (JSON.parse(view.text) as { flow: string }).flow]).toEqual(["application/json", "legal:report"])
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain("sluice://runs/{run}/files/{+path}")
    await client.close()
  })

  test("[H12] what is not there, or leads out of its place, is an error of the protocol", async () => {
    const client = await connect(era)
    for (const uri of [
      "sluice://skills/house/none.md",
      `sluice://runs/${run}/files/../../keys`,
      `sluice://runs/${run}/files/%2e%2e/%2e%2e/keys`,
      "sluice://runs/..%2fkeys",
      "sluice://skills/house/..%2f..%2fkeys",
      "sluice://runs/run_none",
      "sluice://keys",
      "file:///etc/passwd",
      "sluice://skills/%ff/x",
    ])
      await expect(client.readResource({ uri }), uri).rejects.toMatchObject({ code: -32602 })
    await client.close()
  })

  test("[H1] a key reads what its scopes allow", async () => {
    const { key } = await ask<{ key: string }>("POST", "/v1/keys", { name: `read ${era}`, scopes: ["tools:call"] })
    const client = await connect(era, undefined, `Bearer ${key}`)
    expect([(await client.listResources()).resources, (await client.listPrompts()).prompts]).toEqual([[], []])
    await expect(client.readResource({ uri: `sluice://runs/${run}` })).rejects.toMatchObject({ code: -32602 })
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("flow_results")
    expect(textOf(await client.callTool({ name: "flow_results", arguments: { action: "list" } }))).toMatch(/^forbidden/)
    await client.close()
  })

  test("[H12] a flow is a prompt with its inputs as arguments", async () => {
    const client = await connect(era)
    const { prompts } = await client.listPrompts()
    expect(prompts.find(({ name }) => name === "flow_legal__report")).toMatchObject({
      description: "writes a report",
      arguments: [{ name: "task", required: true }, { name: "deep", required: false }, { name: "pages" }],
    })
    for (const name of ["flow_legal__report", "flow_legal.report"]) {
      const { messages } = await client.getPrompt({ name, arguments: { task: "the lease", deep: "true" } })
      const content = messages[0]?.content
      const text = content?.type === "text" ? content.text : ""
      expect(text).toContain("flow_legal__report")
      expect(JSON.parse(text.slice(text.indexOf("{")))).toEqual({ task: "the lease", deep: true })
    }
    for (const given of [{}, { task: "x", deep: "maybe" }, { task: "x", none: "1" }])
      await expect(client.getPrompt({ name: "flow_legal__report", arguments: given })).rejects.toMatchObject({ code: -32602 })
    await expect(client.getPrompt({ name: "flow_none" })).rejects.toMatchObject({ code: -32602 })
    await client.close()
  })

  test("[H12] values of an argument are offered", async () => {
    const client = await connect(era)
    const values = async (ref: Parameters<Client["complete"]>[0]["ref"], name: string, value = "", more = {}): Promise<string[]> =>
      (await client.complete({ ref, argument: { name, value }, ...more })).completion.values
    const prompt = { type: "ref/prompt", name: "flow_legal__report" } as const
    expect(await values(prompt, "deep")).toEqual(["true", "false"])
    expect(await values(prompt, "deep", "f")).toEqual(["false"])
    expect(await values(prompt, "pages")).toEqual(["3"])
    const at = (uri: string) => ({ type: "ref/resource", uri }) as const
    expect(await values(at("sluice://flows/{flow}"), "flow", "LEGAL")).toEqual(["legal:report"])
    expect(await values(at("sluice://runs/{run}"), "run", run.slice(0, 10))).toContain(run)
    const files = at("sluice://runs/{run}/files/{+path}")
    expect(await values(files, "path", "my", { context: { arguments: { run } } })).toEqual(["my dir/out 1.md"])
    const skills = at("sluice://skills/{skill}/{+file}")
    expect(await values(skills, "file", "", { context: { arguments: { skill: "house" } } })).toEqual(["SKILL.md", "more.md"])
    await expect(values(at("sluice://none/{x}"), "x")).rejects.toMatchObject({ code: -32602 })
    await client.close()
  })

  test("[H12] flow_results reads earlier runs, and a long result is cut", async () => {
    const client = await connect(era)
    const read = (args: Record<string, unknown>) => client.callTool({ name: "flow_results", arguments: args })
    expect(textOf(await read({ action: "list" }))).toContain(`legal:report: succeeded`)
    expect(textOf(await read({ action: "runs", flow: "legal:report" }))).toContain(run)
    expect(await read({ action: "summary", run })).toMatchObject({ structuredContent: { run, status: "succeeded" } })
    for (const agent of ["one", "writer"]) {
      const whole = textOf(await read({ action: "agent", flow: "legal:report", agent }))
      expect(whole).toMatch(/^\{\n {2}"step": "one",[^]*\n\nlong long [^]* more characters: /)
      expect(whole.length).toBeLessThan(10_200)
    }
    for (const args of [{ action: "agent", run }, { action: "summary" }, { action: "x" }, { action: "summary", run: "run_none" }, {}])
      expect((await read(args)).isError, JSON.stringify(args)).toBe(true)
    await client.close()
  })

  test("[Q2] ask_user asks the client's user; without one, the question waits and is a resource", async () => {
    const args = { question: `Ship it, ${era}?`, type: "confirm" }
    const asking = await connect(era, () => ({ action: "accept", content: { answer: true } }))
    const said = await asking.callTool({ name: "ask_user", arguments: args })
    expect([said.isError, textOf(said)]).toEqual([undefined, '{"answer":true}'])
    await asking.close()
    const mute = await connect(era)
    const waits = await mute.callTool({ name: "ask_user", arguments: args })
    const { question } = waits.structuredContent as { question: string }
    expect([waits.isError, textOf(waits)]).toEqual([true, expect.stringContaining(`/v1/interactions/${question}`)])
    await ask("POST", `/v1/interactions/${question}`, { answer: false })
    const { text } = (await mute.readResource({ uri: `sluice://questions/${question}` })).contents[0] as { text: string }
    expect(JSON.parse(text)).toMatchObject({ status: "answered", answer: { answer: false } })
    await mute.close()
  })
})
