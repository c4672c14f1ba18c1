// Servers and keys that `sluice login` keeps: one file that only its owner may read.
//
// Which server a command asks: `--url` and `--key`; `--profile`; SLUICE_URL and SLUICE_KEY; SLUICE_PROFILE; the server that `sluice dev`
// runs for this project; the current profile; http://127.0.0.1:8787. A profile's key goes to that profile's address and to no other.

import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { homedir, userInfo } from "node:os"
import path from "node:path"
import { z } from "zod"
import { LOCAL_KEY } from "../local/settings.ts"
import { Trouble } from "../local/trouble.ts"
import { messageOf } from "../src/core/text/fault-text.ts"
import { isLoopback } from "./proxy.ts"

const Profile = z.object({ url: z.url(), key: z.string() })
const Profiles = z.object({ current: z.string().optional(), profiles: z.record(z.string(), Profile) })
export type Profiles = z.output<typeof Profiles>

export interface Connection {
  readonly url: string
  readonly key: string
  /** Where the address and the key come from. */
  readonly from: string
  readonly keyFrom: string
}

type Env = Readonly<Record<string, string | undefined>>
export interface Wish {
  readonly url?: string | undefined
  readonly key?: string | undefined
  readonly profile?: string | undefined
  /** The environment of `--env`. */
  readonly place?: Place
  /** The routes that it asks are open to everyone. */
  readonly needsNoKey?: boolean
}

/** What sluice.yaml says about the server of an environment. */
export interface Place {
  readonly name: string
  readonly server?: string
  readonly profile?: string
}

export const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/
export const DEFAULT_URL = "http://127.0.0.1:8787"

export function profileFile(env: Env): string {
  if (env["SLUICE_PROFILES"]) return path.resolve(env["SLUICE_PROFILES"])
  // A relative folder would be another one in each folder, and keys might end up under git.
  const set = env["XDG_CONFIG_HOME"]
  const home = env["HOME"] === "" ? userInfo().homedir : homedir()
  return path.join(set && path.isAbsolute(set) ? set : path.join(home, ".config"), "sluice", "profiles.json")
}

export async function readProfiles(file: string): Promise<Profiles> {
  let text: string
  try {
    text = await readFile(file, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return { profiles: {} }
    throw new Trouble(`${file} cannot be read: ${messageOf(error)}`, 2)
  }
  try {
    return Profiles.parse(JSON.parse(text))
  } catch {
    throw new Trouble(`${file} is not a file of profiles: delete it and log in again (sluice login)`, 2)
  }
}

/** Whole or not at all, and never readable by others, not for a moment. */
export async function writeProfiles(file: string, profiles: Profiles): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
  await chmod(draft, 0o600)
  await rename(draft, file)
}

/** `local`: the address of the project's own server, if `sluice dev` runs. `unsaid`: throws if nobody may mean the usual address here. */
export async function connectionOf(
  wish: Wish,
  env: Env,
  local: () => Promise<string | undefined>,
  unsaid: (url: string) => Promise<void> = async () => {},
): Promise<Connection> {
  const stored = await readProfiles(profileFile(env))
  const { place } = wish
  if (place !== undefined && wish.url === undefined && wish.profile === undefined && (place.server ?? place.profile) !== undefined)
    return connectionAt(place, wish, env, stored)
  const named = wish.profile ?? (wish.url === undefined && !env["SLUICE_URL"] ? env["SLUICE_PROFILE"] || undefined : undefined)
  const profile = named === undefined ? undefined : Object.hasOwn(stored.profiles, named) ? stored.profiles[named] : undefined
  if (named !== undefined && profile === undefined) throw new Trouble(missing(named, stored), 2)
  const own =
    wish.key === undefined ? (profile === undefined ? keyOf("SLUICE_KEY", env["SLUICE_KEY"]) : undefined) : keyOf("--key", wish.key)
  const none = wish.needsNoKey === true ? NO_KEY : undefined
  if (wish.url !== undefined) return at(wish.url, "--url", own ?? keyOf(`profile ${named}`, profileKey(wish.url, profile)) ?? none)
  if (profile !== undefined) return at(profile.url, `profile ${named}`, own ?? keyOf(`profile ${named}`, profile.key))
  if (env["SLUICE_URL"]) return at(env["SLUICE_URL"], "SLUICE_URL", own ?? none)
  const running = await local()
  // A file in the folder names it, and the folder may be anybody's: no key that is secret goes there unless it was given for this command.
  if (running !== undefined) return at(running, "sluice dev", (wish.key === undefined ? undefined : own) ?? none)
  const current = stored.current === undefined ? undefined : stored.profiles[stored.current]
  if (current !== undefined) return at(current.url, `profile ${stored.current}`, own ?? keyOf(`profile ${stored.current}`, current.key))
  await unsaid(DEFAULT_URL)
  return at(DEFAULT_URL, "default", own ?? none)
}

/** sluice.yaml may be anybody's: a key goes to the server that it names if the person keeps it for this server, or gave it for this command. */
function connectionAt({ name, server, profile }: Place, wish: Wish, env: Env, stored: Profiles): Connection {
  const from = `environment ${name}`
  const kept = profile === undefined ? undefined : Object.hasOwn(stored.profiles, profile) ? stored.profiles[profile] : undefined
  if (profile !== undefined && kept === undefined) throw new Trouble(missing(profile, stored), 2)
  const url = server ?? kept?.url ?? ""
  checkedAddress(url)
  const isSame = (other: string | undefined): boolean =>
    other !== undefined && URL.canParse(other) && new URL(other).origin === new URL(url).origin
  if (kept !== undefined && !isSame(kept.url))
    throw new Trouble(`sluice.yaml says ${url} for ${name}, and the profile ${profile} is of ${kept.url}: correct one of them`, 2)
  const [found] = Object.entries(stored.profiles).filter(([, one]) => isSame(one.url))
  const own =
    wish.key === undefined ? (isSame(env["SLUICE_URL"]) ? keyOf("SLUICE_KEY", env["SLUICE_KEY"]) : undefined) : keyOf("--key", wish.key)
  const key =
    own ?? keyOf(`profile ${profile ?? found?.[0]}`, kept?.key ?? found?.[1].key) ?? (wish.needsNoKey === true ? NO_KEY : undefined)
  if (key === undefined && !isLoopback(url))
    throw new Trouble(
      `give a key for ${url} (${from}): sluice login --url ${url} --profile ${name}, --key, or SLUICE_KEY with SLUICE_URL=${url}`,
      2,
    )
  return at(url, from, key)
}

interface Key {
  readonly from: string
  readonly key: string
}
const NO_KEY: Key = { from: "nothing", key: "" }

function keyOf(from: string, key: string | undefined): Key | undefined {
  if (key === undefined || key === "") return undefined
  return { from, key: checkedKey(key, from) }
}

/** A key that no header can carry was copied with something else. */
export function checkedKey(key: string, from: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new Trouble(`the key of ${from} has spaces, line ends or letters that no key has: copy it again, alone`, 2)
}

const profileKey = (url: string, profile: z.output<typeof Profile> | undefined): string | undefined =>
  profile !== undefined && URL.canParse(url) && new URL(url).origin === new URL(profile.url).origin ? profile.key : undefined

function at(url: string, from: string, key: Key | undefined): Connection {
  checkedAddress(url)
  // The development key is public, so it is sent only to this machine.
  const used = key ?? (isLoopback(url) ? { from: "this machine's servers", key: LOCAL_KEY } : undefined)
  if (used === undefined) throw new Trouble(`give a key for ${url}: sluice login, --key, or SLUICE_KEY`, 2)
  return { url, key: used.key, from, keyFrom: used.from }
}

/** The address of a server, to which paths are added. */
export function checkedAddress(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new Trouble(`"${url}" is not a URL`, 2)
  const { username, password, search, hash, origin, pathname } = new URL(url)
  const shown = `${origin}${pathname === "/" ? "" : pathname}`
  if (username !== "" || password !== "")
    throw new Trouble(`an address has no name and password in it: write ${shown}, and give an API key (sluice login, --key, SLUICE_KEY)`, 2)
  if (search !== "" || hash !== "") throw new Trouble(`the address of a server ends before "?" and "#": write ${shown}`, 2)
  return url
}

function missing(name: string, { profiles }: Profiles): string {
  const names = Object.keys(profiles)
  const known = names.length === 0 ? "there is none yet" : `there are ${names.join(", ")}`
  return `there is no profile "${name}" (${known}): sluice login --profile ${name}`
}
