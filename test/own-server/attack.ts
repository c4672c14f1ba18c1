// The keys of development against a server in production [N5]: everywhere 401. Then its stop, another VAULT_KEY, and a secret that is stored, copied,
// restored and still sealed for whoever has no key.

import { mkdir, readdir, readFile } from "node:fs/promises"
import path from "node:path"
import { LOCAL_ADMIN_KEY, LOCAL_KEY } from "../../local/settings.ts"
import { KEYS, serveHere, sluice, type ServedHere } from "./served.ts"

type CheckIt = (name: string, fault: string | undefined) => void

const DOORS: readonly (readonly [method: string, path: string])[] = [
  ["GET", "/v1/tenants"],
  ["POST", "/v1/tenants"],
  ["GET", "/v1/tenants/local"],
  ["POST", "/v1/tenants/local/keys"],
  ["POST", "/v1/signing-keys"],
  ["GET", "/v1/catalog"],
  ["PUT", "/v1/catalog"],
  ["GET", "/v1/runs"],
  ["POST", "/v1/flows/triage/runs"],
  ["GET", "/v1/settings/providers"],
  ["PUT", "/v1/secrets/x"],
  ["GET", "/v1/keys"],
  ["GET", "/v1/stream"],
  ["GET", "/v1/models"],
  ["POST", "/v1/chat/completions"],
  ["POST", "/v1/responses"],
  ["POST", "/mcp"],
]
const PLANTED = "canary-4711-of-the-vault"

export async function attack(home: string, check: CheckIt): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const data = path.join(home, "data")
  const server = await serveHere(data)
  const ask = (method: string, at: string, key: string, body?: unknown): Promise<Response> =>
    fetch(server.url + at, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
    })
  for (const key of [LOCAL_KEY, LOCAL_ADMIN_KEY, `${LOCAL_KEY} `, LOCAL_ADMIN_KEY.toUpperCase()])
    for (const [method, at] of DOORS) {
      const answer = await ask(method, at, key)
      await answer.body?.cancel()
      check(`[N5] ${method} ${at} with a key of development is 401`, answer.status === 401 ? undefined : `${key}: ${answer.status}`)
    }
  const signedIn = await ask("POST", "/v1/session", "", { key: LOCAL_KEY, name: "me" })
  check(
    "[N5] a page is not signed in with a key of development",
    signedIn.status >= 400 && signedIn.headers.get("set-cookie") === null ? undefined : String(signedIn.status),
  )

  await ask("POST", "/v1/tenants", KEYS.ADMIN_KEY, { id: "acme" })
  const made = await ask("POST", "/v1/tenants/acme/keys", KEYS.ADMIN_KEY, {
    name: "first",
    scopes: ["admin", "runs:read", "runs:write", "catalog:read"],
  })
  const { key } = (await made.json()) as { key: string }
  const stored = await ask("PUT", "/v1/secrets/shop", key, { value: PLANTED })
  check("the admin's own key opens the server", stored.ok ? undefined : `${stored.status} ${await stored.text()}`)
  const series = path.join(home, "series")
  const backup = sluice(["backup", series, "--server", data])
  check("[O54] a server is backed up while it serves", backup.code === 0 ? undefined : backup.text)
  check("[O54] the pause is said", /stood still for \d+\.\d\d s/.test(backup.text) ? undefined : backup.text)

  const ready = await fetch(`${server.url}/readyz`)
  check("[N7] it is ready", ready.status === 200 ? undefined : String(ready.status))
  const stopping = server.stop()
  const seen = await untilNotReady(server)
  check("[O52] while it stops it is not ready", seen)
  check("[O52] SIGTERM ends it with 0", (await stopping) === 0 ? undefined : "another code")

  const found = await filesWith(home, PLANTED)
  check("[O54] no secret is in the folder or in the backup as it is", found.length === 0 ? undefined : found.join())
  const again = path.join(home, "again")
  const other = { VAULT_KEY: "Hn3vK8rTq1ZwXy6LmB0cPd5sJf9gUe2A" }
  check(
    "[O54] a restore for another VAULT_KEY is refused",
    sluice(["restore", series, "--server", again], other).code === 2 ? undefined : "it is not",
  )
  const restored = sluice(["restore", series, "--server", again], { VAULT_KEY: KEYS.VAULT_KEY })
  check("[O54] a backup is restored", restored.code === 0 ? undefined : restored.text)
  const refused = sluice(["serve", "--production", again, "--port", "0"], { ...KEYS, ...other })
  check(
    "[O50] another VAULT_KEY is refused at the start, with what to do",
    refused.code === 2 && refused.text.includes("--new-vault-key") ? undefined : refused.text,
  )
  const second = await serveHere(again)
  const listed = await fetch(`${second.url}/v1/secrets`, { headers: { authorization: `Bearer ${key}` } })
  check(
    "[O54] the restored server knows its keys and its secrets",
    (await listed.text()).includes("shop") ? undefined : String(listed.status),
  )
  await second.stop()
}

async function untilNotReady({ url, child }: ServedHere): Promise<string | undefined> {
  for (;;) {
    if (child.exitCode !== null) return "it ended and was ready until then"
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    if (answer?.status === 503) return undefined
    await answer?.body?.cancel()
    await new Promise((wake) => setTimeout(wake, 50))
  }
}

async function filesWith(folder: string, text: string): Promise<string[]> {
  const all = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const files = all.map((entry) => path.join(entry.parentPath, entry.name))
  const found = await Promise.all(files.map(async (file) => (await readFile(file)).includes(text)))
  return files.filter((_, i) => found[i])
}
