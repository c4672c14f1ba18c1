// Page 10's example: starts a run, follows it, and lists runs.
import { Sluice } from "../../src/client/sluice.ts"

const url = process.env["SLUICE_URL"] ?? "http://127.0.0.1:8787"
const client = new Sluice({ url, key: process.env["SLUICE_KEY"] ?? "sl_local_dev" })

const run = client.flows.run("hello", { task: "Greet Ada.", rehearse: true })
for await (const event of run) console.log(event.type)

const { status, output } = await run.result()
console.log(await run.id, status, output)

for await (const row of client.runs.list({ flow: "hello", limit: 3 })) console.log(row.id, row.status)
