// What the page behind a chat token learns [P9]: its own thread of its own flow. Every operation of the document is asked with the token, and no answer
// has a word of a prompt, of another thread, of another flow or of what happens inside the run; what is another's looks like nothing at all.

import { operationsOf } from "./operations.ts"
import type { Verdict } from "./two-tenants.ts"

/** Words that stand only where the page must not look. */
const SECRETS = {
  prompt: "zebraprompt",
  child: "zebrachild",
  other: "zebrathread",
  foreign: "zebraflow",
  result: "zebraresult",
  name: "zebrakey",
}
const OWN = new Set([
  "POST /v1/flows/{flow}/agui",
  "POST /v1/flows/{flow}/chat",
  "GET /v1/flows/{flow}/chat/{chat}/stream",
  "DELETE /v1/flows/{flow}/chat/{chat}/stream",
])

interface Answered {
  readonly status: number
  readonly body: string
}

export async function tokenDifferences(url: string, admin: string): Promise<Verdict> {
  const failed: string[] = []
  let passed = 0
  const judge = (what: string, wrong: string | undefined): void => {
    if (wrong === undefined) passed += 1
    else failed.push(`${what}\n     ${wrong}`)
  }
  const shown = ({ status, body }: Answered): string | undefined => {
    const secret = Object.values(SECRETS).find((word) => body.includes(word))
    return secret === undefined ? undefined : `${status}: ${secret} is in ${body.slice(0, 400)}`
  }
  const { key, token, own, foreign } = await foundPage(url, admin)
  const page = (method: string, path: string, body?: object) => ask(url, token, method, path, body)
  const user = (text: string) => ({ id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }] })
  const input = (threadId: string) => ({
    threadId,
    runId: crypto.randomUUID(),
    messages: [{ id: crypto.randomUUID(), role: "user", content: "hi" }],
  })

  // Its own chat, whose run has a prompt, a tool, a child and a question.
  const first = await page("POST", "/v1/flows/page/chat", { id: "mine", messages: [user("hi")] })
  judge(
    "the page's own chat asks its question",
    first.status === 200 && first.body.includes("Which?") ? undefined : `${first.status} ${first.body}`,
  )
  judge("the page's own chat shows nothing from inside", shown(first))
  const again = await page("GET", "/v1/flows/page/chat/mine/stream")
  judge("a reload of the page's own chat shows nothing from inside", again.status === 200 ? shown(again) : `${again.status}`)
  const end = await page("POST", "/v1/flows/page/chat", { id: "mine", messages: [user("red")] })
  judge(
    "the answer goes on, and shows nothing from inside",
    end.status === 200 && end.body.includes("painted") ? shown(end) : `${end.status} ${end.body}`,
  )
  const agui = await page("POST", "/v1/flows/page/agui", input("mine"))
  judge("the same thread over AG-UI shows nothing from inside", agui.status === 200 ? shown(agui) : `${agui.status} ${agui.body}`)

  for (const { method, path, names } of await operationsOf(url)) {
    const what = `${method} ${path}`
    const place = (flow: string, thread: string): string =>
      path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
        encodeURIComponent(
          name === "flow" ? flow : name === "chat" ? thread : name === "run" || name === "id" || name === "task" ? own : "x",
        ),
      )
    if (!OWN.has(what)) {
      const answered = await page(method, place("page", "mine"), method === "GET" || method === "DELETE" ? undefined : {})
      judge(
        `${what} is closed to the page`,
        answered.status === 401 || answered.status === 404 ? shown(answered) : `${answered.status} ${answered.body.slice(0, 200)}`,
      )
      continue
    }
    // Another flow and another thread look like those that never were.
    const body = (thread: string): object | undefined =>
      method !== "POST" ? undefined : path.endsWith("/agui") ? input(thread) : { id: thread, messages: [user("hi")] }
    for (const [named, flow, thread] of [
      ["another flow", "foreign", "mine"],
      ["another thread", "page", "theirs"],
    ] as const) {
      const there = await page(method, place(flow, thread), body(thread))
      const nowhere = await page(
        method,
        place(flow === "foreign" ? "nowhere" : flow, thread === "theirs" ? "nobodys" : thread),
        body(thread === "theirs" ? "nobodys" : thread),
      )
      const same = there.status === 404 && even(there.body) === even(nowhere.body)
      judge(
        `${what}: ${named}`,
        same ? shown(there) : `${there.status} ${there.body.slice(0, 200)}\n     ${nowhere.status} ${nowhere.body.slice(0, 200)}`,
      )
    }
    judge(`${what} is named by the document with its flow`, names.includes("flow") ? undefined : names.join())
  }
  for (const run of [own, foreign]) {
    const seen = await ask(url, key, "GET", `/v1/runs/${run}`)
    judge(
      `the run ${run === own ? "of another thread" : "of another flow"} is there for its owner, as it was`,
      seen.body.includes('"succeeded"') ? undefined : seen.body,
    )
  }
  return { passed, failed }
}

const even = (text: string): string => text.replaceAll(/nowhere|foreign|nobodys|theirs|[0-9a-f]{8}-[0-9a-f-]{27}|req_\w+/g, "_")

/** The token, its owner's key, and a run each of another thread and of another flow. */
async function foundPage(url: string, admin: string) {
  const id = `chat-${Date.now().toString(36)}`
  await ask(url, admin, "POST", "/v1/tenants", { id })
  const scopes = ["runs:read", "runs:write", "interactions:answer", "catalog:write", "catalog:read", "admin"]
  const made = await ask(url, admin, "POST", `/v1/tenants/${id}/keys`, { name: SECRETS.name, scopes })
  const { key } = JSON.parse(made.body) as { key: string }
  const done = { finish: { status: "complete", summary: "painted" } }
  await ask(url, key, "PUT", "/v1/settings/providers/sc", {
    kind: "scripted",
    turns: {
      asker: [{ calls: [{ tool: "ask_user", args: { question: "Which?", type: "select", options: ["red", "blue"] } }] }, done],
      plain: [done],
    },
  })
  const agent = (name: string, prompt: string) =>
    `---\nname: ${name}\ndescription: ${prompt}\nmodel: sc/${name}\ntools: ask_user, ls\n---\n${prompt} \${{task}}\n`
  const flow = (name: string, steps: string, words: string) => `name: ${name}\ndescription: ${words}\nautonomous: false\nsteps:\n${steps}`
  const put = await ask(url, key, "PUT", "/v1/catalog", {
    agents: { "asker.md": agent("asker", SECRETS.child), "plain.md": agent("plain", SECRETS.prompt) },
    flows: {
      "below.yaml": flow("below", "  - { id: a, type: agent, agent: asker }\n", SECRETS.child),
      "page.yaml": flow(
        "page",
        `  - { id: p, type: agent, agent: plain }\n  - { id: c, type: flow-ref, flow: below, task: ${SECRETS.prompt} }\n`,
        SECRETS.prompt,
      ),
      "foreign.yaml": flow("foreign", "  - { id: a, type: agent, agent: plain }\n", SECRETS.foreign),
    },
  })
  if (put.status !== 200) throw new Error(`the page's catalog: ${put.status} ${put.body}`)
  const answered = await ask(url, key, "POST", "/v1/flows/page/chat-token", { thread: "mine", answer: true })
  const { token } = JSON.parse(answered.body) as { token: string }
  const started = async (name: string, thread: string): Promise<string> => {
    const body = { task: SECRETS.other, thread }
    const run = await ask(url, key, "POST", `/v1/flows/${name}/runs`, body, { prefer: "wait=60" })
    const { id: at, asks } = JSON.parse(run.body) as { id: string; asks?: { run: string; id: string }[] }
    for (const one of asks ?? []) await ask(url, key, "POST", `/v1/runs/${one.run}/interactions/${one.id}`, { answer: "red" })
    for (let n = 0; n < 400 && !(await ask(url, key, "GET", `/v1/runs/${at}`)).body.includes('"succeeded"'); n++)
      await new Promise((resolve) => setTimeout(resolve, 25))
    return at
  }
  return { key, token, own: await started("page", "theirs"), foreign: await started("foreign", "theirs") }
}

async function ask(
  url: string,
  key: string,
  method: string,
  path: string,
  body?: object,
  more: Record<string, string> = {},
): Promise<Answered> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "a2a-version": "1.0", ...more }
  const r = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  return { status: r.status, body: await r.text() }
}
