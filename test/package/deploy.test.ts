// `sluice deploy` with a wrangler that notes what it is told, against a server that notes what it is asked.

import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { once } from "node:events"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { sluice, type Done } from "./sluice.ts"

let folder = ""
let server: Server
let url = ""
let asked: string[] = []
/** The body of the last request that had one. */
let sent = ""
const STUB = `#!/bin/sh
echo "$@" >> told
case "$1 $2" in
  "whoami --json") [ -f logged-in ] ;;
  "secret list") [ -f secrets ] && cat secrets ;;
  "deploy"*) [ ! -f broken ] && echo "Deployed" ;;
esac
`

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-deploy-"))
  await sluice(["init", "demo"], { cwd: folder })
  await mkdir(path.join(folder, "node_modules/.bin"), { recursive: true })
  await writeFile(path.join(folder, "node_modules/.bin/wrangler"), STUB)
  await chmod(path.join(folder, "node_modules/.bin/wrangler"), 0o755)
  await writeFile(path.join(folder, "logged-in"), "")
  asked = []
  server = createServer((request, answer) => {
    asked.push(`${request.method} ${request.url}`)
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (sent = body += text))
    const [status, told] =
      request.url === "/v1/tenants"
        ? asked.filter((one) => one === "POST /v1/tenants").length > 1
          ? [409, { code: "exists", status: 409, title: "exists" }]
          : [201, { id: "main" }]
        : request.url?.endsWith("/keys") === true
          ? [201, { id: "key_1", key: "slk_main_1" }]
          : [200, { revision: 3, diagnostics: {} }]
    answer.writeHead(status as number, { "content-type": "application/json" }).end(JSON.stringify(told))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const at = server.address()
  url = typeof at === "object" && at !== null ? `http://127.0.0.1:${at.port}` : ""
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true, force: true })
})

const deployed = (...args: string[]): Promise<Done> =>
  sluice(["deploy", ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", SLUICE_PROFILES: path.join(folder, "profiles.json") },
  })
const told = async (): Promise<string[]> => (await readFile(path.join(folder, "told"), "utf8")).trim().split("\n")
const secrets = (): string => path.join(folder, ".sluice/deploy-secrets.json")

describe("deploy", () => {
  test("[N5] makes the secrets once, for the owner alone, and keeps the tenant's key as a profile", async () => {
    const first = await deployed("--address", url, "--json")
    expect([first.code, first.err]).toEqual([0, ""])
    expect(JSON.parse(first.out)).toEqual({ url, tenant: "main", revision: 3, key: "slk_main_1" })
    expect(await told()).toEqual(["whoami --json", "secret list --format json", `deploy --secrets-file ${secrets()}`])
    expect((await stat(secrets())).mode & 0o777).toBe(0o600)
    const made = await readFile(secrets(), "utf8")
    expect(Object.keys(JSON.parse(made) as object)).toEqual(["ADMIN_KEY", "VAULT_KEY"])
    expect(JSON.parse(await readFile(path.join(folder, "profiles.json"), "utf8"))).toMatchObject({
      profiles: { [path.basename(folder).toLowerCase()]: { url } },
    })
    expect(asked).toEqual(["POST /v1/tenants", "POST /v1/tenants/main/keys", "PATCH /v1/catalog"])
    // Again: the Worker has its secrets, the tenant is there.
    await writeFile(path.join(folder, "secrets"), '[{"name":"ADMIN_KEY"},{"name":"VAULT_KEY"}]')
    const again = await deployed("--address", url, "--json")
    expect(again.code).toBe(0)
    expect((await told()).at(-1)).toBe("deploy")
    expect(await readFile(secrets(), "utf8")).toBe(made)
  })

  test("[F81] --env deploys the environment: its files and its profile, and its own Worker if wrangler.toml has one", async () => {
    const environment = (more: string) => `name: shop\nenvironments:\n  staging: { ${more} }\n`
    await writeFile(path.join(folder, "budget.yaml"), "usd: 5\n")
    await writeFile(path.join(folder, "sluice.yaml"), environment(`server: "${url}", budget: { usd: 1 }`))
    const dry = JSON.parse((await deployed("--env", "staging", "--dry-run", "--json")).out) as { calls: string[] }
    expect(dry.calls.slice(1)).toEqual([
      "wrangler deploy --secrets-file .sluice/deploy-secrets.json",
      'POST /v1/tenants {"id": "main"}, unless it is there',
      "POST /v1/tenants/main/keys, kept as the profile staging",
      "PATCH /v1/catalog, with the project's files over those of the tenant",
    ])
    const toml = await readFile(path.join(folder, "wrangler.toml"), "utf8")
    await writeFile(path.join(folder, "wrangler.toml"), `${toml}\n[env.staging.vars]\nENVIRONMENT = "production"\n`)
    const done = await deployed("--env", "staging", "--json")
    expect([done.code, done.err]).toEqual([0, ""])
    const own = path.join(folder, ".sluice/deploy-secrets.staging.json")
    expect((await told()).slice(-2)).toEqual(["secret list --format json --env staging", `deploy --secrets-file ${own} --env staging`])
    expect(sent).toContain("usd: 1")
    expect(JSON.parse(await readFile(path.join(folder, "profiles.json"), "utf8"))).toMatchObject({ profiles: { staging: { url } } })
    const none = await deployed("--env", "stagin")
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('did you mean "staging"?')])
  })

  test("[N5] a deploy that fails is repeated with the same secrets", async () => {
    await writeFile(path.join(folder, "broken"), "")
    const failed = await deployed("--address", url)
    expect([failed.code, asked]).toEqual([1, []])
    expect(failed.err).toContain("nothing has to be undone")
    const made = await readFile(secrets(), "utf8")
    await rm(path.join(folder, "broken"))
    expect((await deployed("--address", url)).code).toBe(0)
    expect(await readFile(secrets(), "utf8")).toBe(made)
  })

  test("[N5] --dry-run says every call and makes none that writes", async () => {
    const { code, out } = await deployed("--dry-run")
    expect(code).toBe(0)
    expect(out).toContain("wrangler deploy --secrets-file .sluice/deploy-secrets.json")
    expect(await told()).toEqual(["whoami --json", "secret list --format json"])
    await expect(stat(secrets())).rejects.toThrow("ENOENT")
    expect(asked).toEqual([])
  })

  test.each([
    ["a login", "logged-in", "in CI, set CLOUDFLARE_API_TOKEN"],
    ["wrangler", "node_modules", "npm install --save-dev wrangler"],
  ])("[N5] --dry-run without %s says every call, and what it could not check", async (_, gone, says) => {
    await rm(path.join(folder, gone), { recursive: true })
    const { code, out } = await deployed("--dry-run")
    expect(code).toBe(0)
    expect(out).toContain(says)
    expect(out).toContain("make ADMIN_KEY and VAULT_KEY in .sluice/deploy-secrets.json, readable by you alone, unless the Worker has them")
    expect(out).toContain("POST /v1/tenants/main/keys, kept as the profile ")
    const { unchecked, calls } = JSON.parse((await deployed("--dry-run", "--json")).out) as { unchecked: string[]; calls: string[] }
    expect([unchecked.length, calls.length]).toEqual([1, 5])
  })

  test("[N5] --dry-run refuses a Worker that does not build", async () => {
    await writeFile(path.join(folder, "src/index.ts"), 'import "./nowhere.ts"\n')
    const done = await deployed("--dry-run")
    expect([done.code, done.err]).toEqual([3, expect.stringContaining("src/index.ts does not build")])
  })

  test.each([
    ["without a login", "logged-in", 2, "npx wrangler login; in CI, set CLOUDFLARE_API_TOKEN"],
    ["without wrangler", "node_modules", 2, "npm install --save-dev wrangler"],
    ["without a Worker", "src", 2, "src/index.ts is missing"],
    ["with a flow that is not valid", "agents", 3, "sluice validate"],
  ])("[N5] %s it stops before anything is made, and says what to do", async (_, gone, code, says) => {
    await rm(path.join(folder, gone), { recursive: true })
    const done = await deployed("--address", url)
    expect(done.code).toBe(code)
    expect(done.err).toContain(says)
    await expect(stat(secrets())).rejects.toThrow("ENOENT")
  })
})
