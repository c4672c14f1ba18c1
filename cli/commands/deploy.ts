// `sluice deploy`: the project's Worker on Cloudflare, its two secrets, a tenant with a key, and the project in it. Everything that can be
// refused is asked first; each step may be repeated. `--dry-run` says every call and makes only those that read.

import { readFile } from "node:fs/promises"
import path from "node:path"
import type { Bundle } from "../../src/api/catalog.ts"
import { SCOPES } from "../../src/api/route/route.ts"
import { SluiceError } from "../../src/client/transport/sluice-error.ts"
import { sendable } from "../handlers/packed.ts"
import { Trouble } from "../../local/trouble.ts"
import { clientOf } from "../client.ts"
import type { Command, GivenOptions } from "../command.ts"
import type { Context } from "../context.ts"
import { keep, NAMES, readKept, secretsFile, type DeploySecrets } from "../deploy/deploy-secrets.ts"
import { Wrangler, workerNamed } from "../deploy/wrangler.ts"
import { EXIT } from "../exit.ts"
import { profileFile, readProfiles, writeProfiles } from "../profiles.ts"
import type { EnvVariables } from "../proxy.ts"
import { configOf, DATA, environmentOf, exists, projectAround } from "../project/project.ts"
import { usage } from "../program.ts"

export const deploy: Command = {
  name: "deploy",
  says: "deploy the project to Cloudflare: its Worker, its secrets, a tenant with a key",
  options: [
    { flags: "--dry-run", says: "check what can be checked, and list every call that would be made" },
    { flags: "--tenant <id>", says: "the tenant that gets the project; main by default" },
    { flags: "--address <url>", says: "the Worker's address, if it is not what wrangler says" },
    {
      flags: "--env <name>",
      says: "an environment of sluice.yaml: its files, its server, its profile; and of wrangler.toml, if that has [env.NAME]",
    },
    { flags: "-y, --yes", says: "do not ask whether the secrets are stored" },
  ],
  examples: ["deploy --dry-run", "deploy", "deploy --tenant acme --address https://flows.example.com", "deploy --env staging"],
  whole: true,
  offline: true,
  async run(context, _, given) {
    const folder = await projectAround(context.world.cwd)
    if (folder === undefined) throw usage("there is no sluice.yaml here or above: sluice init makes a project")
    const target = await targetOf(context, folder, given)
    await checkedProject(folder, target.bundle)
    const tenant = given.text("tenant") ?? "main"
    if (given.flag("dryRun")) {
      const { missing, unchecked } = await looked(context, target)
      const calls = callsOf(missing, { tenant, target, isKnown: unchecked.length === 0 })
      context.show({ missing, unchecked, calls }, () => [
        "checked: the project is valid, and its Worker builds",
        ...unchecked.map((one) => `not checked: ${one}`),
        "would make these calls:",
        ...calls.map((call) => `  ${call}`),
      ])
      return EXIT.ok
    }
    const ready = await preflight(context, target)
    const kept = ready.missing.length === 0 ? await readKept(target.secrets) : await stored(context, target, ready, given)
    const url = await uploaded(context, target, ready)
    const key = await tenantKey(context.world.env, url, tenant, kept)
    if (key !== undefined) await profiled(context, { name: target.profile, url, key })
    const revision = key === undefined ? null : await applied(context.world.env, { url, key }, target)
    context.show({ url, tenant, revision, key: key ?? null }, () => [
      "",
      url,
      ...(key === undefined
        ? [`the tenant's key is not known here: sluice login --url ${url}, then sluice apply`]
        : [
            `  tenant ${tenant}, revision ${revision}; its key is kept as a profile: ${key}`,
            `  curl ${url}/v1/flows -H "Authorization: Bearer ${key}"`,
          ]),
    ])
    return EXIT.ok
  },
}

interface Ready {
  readonly wrangler: Wrangler
  /** Secrets that the Worker does not have. */
  readonly missing: readonly (typeof NAMES)[number][]
}

/** What is deployed, and where to. */
interface Target {
  readonly folder: string
  /** The project's files, as the environment has them. */
  readonly bundle: Bundle
  /** The environment of wrangler.toml. */
  readonly worker: string | undefined
  readonly address: string | undefined
  /** The profile that keeps the tenant's key. */
  readonly profile: string
  /** The file with the Worker's secrets. */
  readonly secrets: string
}

async function targetOf(context: Context, folder: string, given: GivenOptions): Promise<Target> {
  const [{ bundle }, name, address] = [await context.bundle(folder), given.text("env"), given.text("address")]
  const { server, profile } = name === undefined ? {} : await environmentOf(folder, name)
  const toml = await readFile(path.join(folder, "wrangler.toml"), "utf8").catch(() => "")
  const worker = name === undefined ? undefined : workerNamed(toml, name)
  const kept = profile ?? name ?? (await configOf(folder)).name ?? "production"
  return { folder, bundle, worker, address: address ?? server, profile: kept, secrets: secretsFile(folder, worker) }
}

const NO_WRANGLER = "wrangler, which uploads the Worker, is not installed here: npm install --save-dev wrangler"
const NO_LOGIN = "wrangler is not logged in: npx wrangler login; in CI, set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID"

/** What needs no account. */
async function checkedProject(folder: string, bundle: Bundle): Promise<void> {
  for (const name of ["wrangler.toml", "src/index.ts"])
    if (!(await exists(path.join(folder, name)))) throw usage(`${name} is missing: sluice init writes it and leaves the rest as it is`)
  const { judge } = await import("../project/judge.ts")
  const { valid } = await judge(bundle, folder)
  if (!valid) throw new Trouble("the project is not valid: sluice validate", EXIT.invalid)
  const { projectWorker } = await import("../project/worker.ts")
  await projectWorker(folder, path.join(folder, DATA, "worker"))
}

/** Refuses with what to do, before anything is made. */
async function preflight(context: Context, { folder, worker }: Target): Promise<Ready> {
  const wrangler = Wrangler.around(folder, context.world.env, worker)
  if (wrangler === undefined) throw usage(NO_WRANGLER)
  if (!(await wrangler.isLoggedIn())) throw usage(NO_LOGIN)
  return { wrangler, missing: await missingIn(wrangler) }
}

async function missingIn(wrangler: Wrangler): Promise<Ready["missing"]> {
  const present = await wrangler.secrets()
  return NAMES.filter((name) => !present.includes(name))
}

/** As much of the preflight as there is somebody to ask. */
async function looked(
  context: Context,
  { folder, worker }: Target,
): Promise<Pick<Ready, "missing"> & { readonly unchecked: readonly string[] }> {
  const wrangler = Wrangler.around(folder, context.world.env, worker)
  const fault = wrangler === undefined ? NO_WRANGLER : (await wrangler.isLoggedIn()) ? undefined : NO_LOGIN
  if (wrangler !== undefined && fault === undefined) return { missing: await missingIn(wrangler), unchecked: [] }
  return { missing: NAMES, unchecked: [`the account and the Worker's secrets, because ${fault ?? ""}`] }
}

function callsOf(
  missing: Ready["missing"],
  { tenant, target, isKnown }: { readonly tenant: string; readonly target: Target; readonly isKnown: boolean },
): readonly string[] {
  const file = path.relative(target.folder, target.secrets)
  const env = target.worker === undefined ? "" : ` --env ${target.worker}`
  return [
    ...(missing.length === 0
      ? []
      : [`make ${missing.join(" and ")} in ${file}, readable by you alone${isKnown ? "" : ", unless the Worker has them"}`]),
    `wrangler deploy${missing.length === 0 ? "" : ` --secrets-file ${file}`}${env}`,
    `POST /v1/tenants {"id": "${tenant}"}, unless it is there`,
    `POST /v1/tenants/${tenant}/keys, kept as the profile ${target.profile}`,
    "PATCH /v1/catalog, with the project's files over those of the tenant",
  ]
}

/** They are on disk before the Worker has them, and the person has seen where. */
async function stored(context: Context, { secrets }: Target, { missing }: Ready, given: GivenOptions): Promise<DeploySecrets> {
  const kept = await keep(secrets, missing)
  context.note(`${missing.join(" and ")} are in ${secrets}: keep a copy elsewhere, a lost VAULT_KEY opens nothing`)
  if (context.isTerminal && !given.flag("yes")) {
    const { confirm } = await import("@clack/prompts")
    if ((await confirm({ message: "Have you stored them?", initialValue: false })) !== true)
      throw new Trouble("nothing was deployed: store the secrets, then deploy again", EXIT.failed)
  }
  return kept
}

async function uploaded(context: Context, { address, secrets }: Target, { wrangler, missing }: Ready): Promise<string> {
  const args = missing.length === 0 ? [] : ["--secrets-file", secrets]
  const { code, out } = await wrangler.deploy(args, (text) => context.note(text.trimEnd()))
  if (code !== 0)
    throw new Trouble(
      `wrangler deploy ended with ${code}. If it names R2, switch R2 on in the dashboard; if it names worker_loaders, ` +
        "leave those two lines of wrangler.toml out, or choose the paid plan. Then deploy again: nothing has to be undone",
      EXIT.failed,
    )
  const url = address ?? /https:\/\/\S+\.workers\.dev/.exec(out)?.[0]
  if (url === undefined)
    throw new Trouble("it is deployed, and wrangler names no address: deploy again with --address https://…", EXIT.failed)
  return url.replace(/\/+$/, "")
}

/** undefined: ADMIN_KEY was made elsewhere, so nobody here may make tenants. */
async function tenantKey(env: EnvVariables, url: string, tenant: string, { ADMIN_KEY }: DeploySecrets): Promise<string | undefined> {
  if (ADMIN_KEY === undefined) return undefined
  const admin = await clientOf(env, { url, key: ADMIN_KEY })
  try {
    await admin.tenants.create({ id: tenant })
  } catch (error) {
    if (!(error instanceof SluiceError) || error.status !== 409) throw error
  }
  return (await admin.tenants.keys(tenant).create({ name: "sluice deploy", scopes: [...SCOPES] })).key
}

async function profiled(
  context: Context,
  { name, url, key }: { readonly name: string; readonly url: string; readonly key: string },
): Promise<void> {
  const file = profileFile(context.world.env)
  const { profiles } = await readProfiles(file)
  await writeProfiles(file, { current: name, profiles: { ...profiles, [name]: { url, key } } })
}

async function applied(
  env: EnvVariables,
  server: { readonly url: string; readonly key: string },
  { folder, bundle }: Target,
): Promise<number> {
  const { catalog } = await clientOf(env, server)
  return (await catalog.merge(await sendable(folder, bundle))).revision
}
