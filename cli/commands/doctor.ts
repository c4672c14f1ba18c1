// `doctor`: what is wrong here, a line each, with what to do about it. `open`: the server's page in a browser.

import { z } from "zod"
import { spawn } from "node:child_process"
import { stat } from "node:fs/promises"
import { SluiceError } from "../../src/client/transport/sluice-error.ts"
import { messageOf } from "../../src/core/text/fault-text.ts"
import type { Command } from "../command.ts"
import type { Context } from "../context.ts"
import { EXIT } from "../exit.ts"
import { profileFile } from "../profiles.ts"
import { projectAround } from "../project/project.ts"

interface Check {
  readonly name: string
  readonly ok: boolean
  readonly says: string
  /** What to do. */
  readonly fix?: string
}

export const doctor: Command = {
  name: "doctor",
  says: "list what is wrong here, one line each, with what to do about it",
  examples: ["doctor", "doctor --profile production --json"],
  async run(context) {
    const checks = [node(), await project(context), await profiles(context), ...(await server(context))]
    context.show({ ok: checks.every(({ ok }) => ok), checks }, () =>
      checks.map(({ name, ok, says, fix }) => `${ok ? "ok  " : "FAIL"}  ${name}: ${says}${fix === undefined ? "" : ` → ${fix}`}`),
    )
    return checks.every(({ ok }) => ok) ? EXIT.ok : EXIT.failed
  },
}

function node(): Check {
  const ok = Number(process.versions.node.split(".")[0]) >= 20
  return { name: "node", ok, says: process.version, ...(ok ? {} : { fix: "install Node 20 or newer" }) }
}

async function project(context: Context): Promise<Check> {
  const folder = await projectAround(context.world.cwd)
  if (folder === undefined) return { name: "project", ok: false, says: "there is no sluice.yaml here or above", fix: "sluice init" }
  try {
    const { judge } = await import("../project/judge.ts")
    const { valid } = await judge((await context.bundle(folder)).bundle, folder)
    return { name: "project", ok: valid, says: `${folder}${valid ? "" : " is not valid"}`, ...(valid ? {} : { fix: "sluice validate" }) }
  } catch (error) {
    return { name: "project", ok: false, says: messageOf(error), fix: "sluice init" }
  }
}

async function profiles(context: Context): Promise<Check> {
  const file = profileFile(context.world.env)
  const found = await stat(file).catch(() => undefined)
  if (found === undefined) return { name: "profiles", ok: true, says: "none is kept" }
  const ok = process.platform === "win32" || (found.mode & 0o077) === 0
  return { name: "profiles", ok, says: ok ? file : `${file} can be read by others`, ...(ok ? {} : { fix: `chmod 600 ${file}` }) }
}

async function server(context: Context): Promise<Check[]> {
  try {
    const { url, from } = await context.connection()
    const client = await context.promptClient()
    await client.runs.list({ limit: 1 }).page()
    const reached: Check = { name: "server", ok: true, says: `${url} (${from})` }
    const data = await client.settings.providers.list().all()
    const models: Check =
      data.length > 0
        ? { name: "models", ok: true, says: data.map(({ name }) => name).join(", ") }
        : { name: "models", ok: true, says: "no provider, so runs are rehearsed", fix: "sluice providers put anthropic" }
    return [reached, models, ...(await vault(url))]
  } catch (error) {
    if (error instanceof SluiceError && error.code === "network")
      return [{ name: "server", ok: false, says: "it does not answer", fix: "sluice dev, or sluice login" }]
    if (error instanceof SluiceError && error.status === 403)
      return [{ name: "server", ok: true, says: "it answers; this key reads no settings" }]
    const { url } = await context.connection().catch(() => ({ url: "" }))
    if (error instanceof SluiceError && error.status === 401)
      return [{ name: "server", ok: false, says: `${url} does not take this key`, fix: `sluice login --url ${url}` }]
    if (error instanceof SluiceError && error.code === "answer")
      return [
        {
          name: "server",
          ok: false,
          says: `${url} is not a Sluice server, or it is broken: ${error.message}`,
          fix: "check the address",
        },
      ]
    if (error instanceof SluiceError) return [{ name: "server", ok: false, says: error.message, fix: "try again, or look at its logs" }]
    return [{ name: "server", ok: false, says: messageOf(error) }]
  }
}

/** What a changed VAULT_KEY closes shows only when it is used. */
async function vault(url: string): Promise<Check[]> {
  const ready = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) })
    .then(async (answer) => Readiness.safeParse(await answer.json()))
    .catch(() => undefined)
  if (ready?.success !== true) return []
  const { checks } = ready.data
  return [
    ...(checks.vault === false
      ? [
          {
            name: "vault",
            ok: false,
            says: "the server's VAULT_KEY is not the one that sealed its secrets",
            fix: "serve with the old one, or store every secret and provider key again: docs/OPERATING.md",
          },
        ]
      : []),
    ...(checks.disk === false ? [{ name: "disk", ok: false, says: "the server's disk is full", fix: "free some room there" }] : []),
  ]
}

const Readiness = z.object({ checks: z.object({ vault: z.boolean().optional(), disk: z.boolean().optional() }) })

export const open: Command = {
  name: "open",
  says: "open the server's console in a browser; in a pipe, print its address",
  examples: ["open", "open --profile production"],
  async run(context) {
    const { url } = await context.connection()
    const address = `${url}/console`
    context.show({ url: address }, () => [address])
    if (context.isTerminal) {
      const program = process.platform === "darwin" ? "open" : process.platform === "win32" ? "explorer" : "xdg-open"
      spawn(program, [address], { detached: true, stdio: "ignore" })
        .on("error", () => context.note(`there is no ${program} here: open the address yourself`))
        .unref()
    }
    return EXIT.ok
  },
}
