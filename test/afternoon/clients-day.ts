// Talks to the application as programs do: Node, TypeScript, Python, plain HTTP with mistakes, and a page in a browser.

import { existsSync } from "node:fs"
import path from "node:path"
import type { Book } from "./book.ts"
import { reactPage } from "./react-page.ts"
import type { User } from "./user.ts"

const KEY = "sl_local_dev"

const CLIENT = `import { Sluice, SluiceError } from "sluice"
const client = new Sluice({ url: process.env.SLUICE_URL, key: "${KEY}" })
const run = client.flows.run("support", { inputs: { ticket: "7", text: "When do you open?" } })
const types = []
for await (const event of run) types.push(event.type)
const { status, output } = await run.result()
console.log(types[0], types.at(-1), status, output.said)
try { await client.flows.run("support", { inputs: { ticket: "7" } }).id } catch (error) {
  if (!(error instanceof SluiceError)) throw error
  console.log(error.status, error.code, JSON.stringify(error.errors))
}
`
const TYPED = `import { Sluice } from "sluice"
const client = new Sluice({ url: "http://127.0.0.1:1", key: "k" })
export const said: Promise<string | undefined> = client.flows.run("support", { inputs: { ticket: "1", text: "x" } }).result().then(({ output }) => output?.reply)
// @ts-expect-error the flow has no such input
client.flows.run("support", { inputs: { tickt: "1", text: "x" } })
// @ts-expect-error it is a number
export const refunded: Promise<string | undefined> = client.flows.run("support", { inputs: { ticket: "1", text: "x" } }).result().then(({ output }) => output?.refunded)
`
const PYTHON = `import json, os, urllib.request
base = os.environ["SLUICE_URL"] + "/v1"
def call(method, path, body=None, **headers):
    request = urllib.request.Request(base + path, method=method, data=None if body is None else json.dumps(body).encode())
    request.add_header("Authorization", "Bearer ${KEY}")
    request.add_header("Content-Type", "application/json")
    for name, value in headers.items(): request.add_header(name, value)
    return urllib.request.urlopen(request)
start = {"inputs": {"ticket": "8", "text": "Please refund order B8."}}
run = json.load(call("POST", "/flows/support/runs", start, Prefer="wait=30"))
print("status", run["status"])
asked = json.load(call("GET", "/runs/%s/interactions?status=pending" % run["id"]))["data"][0]
print("asked", asked["kind"], asked["payload"]["args"]["body"]["amount"])
call("POST", "/runs/%s/interactions/%s" % (run["id"], asked["id"]), {"decision": "approve", "hash": asked["payload"]["hash"]})
with call("GET", "/runs/%s/events" % run["id"], Accept="text/event-stream") as stream:
    events = [line.decode().split(":", 1)[1].strip() for line in stream if line.startswith(b"event:")]
print(events[0], events[-1])
print(json.load(call("GET", "/runs/" + run["id"]))["output"]["refunded"])
`

export async function clientsDay(user: User, url: string, book: Book, isShort: boolean): Promise<void> {
  const env = { SLUICE_URL: url }
  await book.stage("a program in Node, and its types", "of 14 min", async () => {
    await user.write({ "client.mjs": CLIENT, "typed.ts": TYPED })
    const client = await user.type("node", ["client.mjs"], { env })
    book.says("the client follows a run to its result", client.out, [/run\.started run\.ended succeeded Done\./])
    book.says("a missing input is 422 with its pointer and what to write", client.out, [/422 \w+ .*"\/inputs\/text"/])
    book.says("sluice types writes them", (await user.sluice(["types"])).out, [/sluice\.d\.ts/])
    const options = [
      "--noEmit",
      "--ignoreConfig",
      "--strict",
      "--skipLibCheck",
      "--target",
      "es2022",
      "--lib",
      "es2023,dom",
      "--types",
      "",
      "--module",
      "nodenext",
    ]
    const typed = await user.type(path.join(user.folder, "node_modules/.bin/tsc"), [...options, "sluice.d.ts", "typed.ts"])
    book.check("inputs and outputs have the flow's types", typed.code === 0, typed.out)
  })
  await book.stage("Python, by urllib alone", "of 14 min", async () => {
    if (!["/usr/bin/python3", "/usr/local/bin/python3"].some((file) => existsSync(file)))
      return console.log("     there is no Python here: not tried")
    await user.write({ "client.py": PYTHON })
    const done = await user.type("python3", ["client.py"], { env })
    book.says("start, wait, approve, stream, result", done.out, [
      /status waiting/,
      /asked approval\.tool 140/,
      /run\.started run\.ended/,
      /^140$/m,
    ])
  })
  await book.stage("HTTP with mistakes", "of 14 min", () => refusals(url, book))
  await book.stage("words that the command line does not know", "of 14 min", async () => {
    for (const [args, code, says] of COMMANDS) {
      const done = await user.sluice(args)
      book.says(`sluice ${args.join(" ")}`, `${done.code} ${done.out}`, [new RegExp(`^${code} `), ...says])
    }
  })
  if (!isShort) await book.stage("a page in React, in Chromium", "25 lines", () => reactPage(user, url, book))
}

const COMMANDS: readonly (readonly [readonly string[], number, readonly RegExp[]])[] = [
  [["run", "suport"], 1, [/there is no flow "suport"/, /did you mean "support"/]],
  [["run", "support", "--input", "ticket=5"], 3, [/needs the input "text" \(string\)/]],
  [["rnu", "support"], 2, [/Did you mean run|did you mean/i]],
  [["answer", "run_x/i1", "yes"], 1, [/not in the inbox/, /sluice inbox/]],
  [["schedules", "fire", "nightyl"], 1, [/nightyl|404/]],
]

async function refusals(url: string, book: Book): Promise<void> {
  const START = { inputs: { ticket: "5", text: "Hello." } }
  const tries: readonly (readonly [string, string, object | undefined, string, number, readonly RegExp[]])[] = [
    ["a wrong key", "/v1/flows/support/runs", START, "sl_local_no", 401, [/unauthorized/i, /key/]],
    ["a misspelled member", "/v1/flows/support/runs", { ...START, taks: "x" }, KEY, 422, [/did you mean \\"task\\"/]],
    [
      "a missing input",
      "/v1/flows/support/runs",
      { inputs: { ticket: "5" } },
      KEY,
      422,
      [/\/inputs\/text/, /needs the input \\"text\\" \(string\)/],
    ],
    [
      "an input that the flow does not have",
      "/v1/flows/support/runs",
      { inputs: { ...START.inputs, txt: 1 } },
      KEY,
      422,
      [/\/inputs\/txt/, /did you mean \\"text\\"/],
    ],
    ["a flow that there is not", "/v1/flows/suport/runs", START, KEY, 404, [/not_found/]],
    ["an address that there is not", "/v1/flow", undefined, KEY, 404, [/not_found/]],
  ]
  for (const [what, at, body, key, status, says] of tries) {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
    const answer = await fetch(url + at, { ...sent, headers: { authorization: `Bearer ${key}`, "content-type": "application/json" } })
    book.says(`${what} is ${status}, and says what to do`, `${answer.status} ${await answer.text()}`, [new RegExp(`^${status} `), ...says])
  }
}
