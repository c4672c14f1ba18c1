// `login` and `logout`: servers and their keys, kept for the next command.

import { text as streamText } from "node:stream/consumers"
import type { Command } from "../command.ts"
import { clientOf } from "../client.ts"
import { PROMPT_MS } from "../context.ts"
import { EXIT } from "../exit.ts"
import { checkedAddress, checkedKey, NAME, profileFile, readProfiles, writeProfiles } from "../profiles.ts"
import { usage } from "../program.ts"

export const login: Command = {
  name: "login",
  says: "keep a server and its key as a profile, and make it the current one",
  options: [{ flags: "--key-stdin", says: "read the key from standard input, so that no list of processes shows it" }],
  examples: ["login --url https://flows.example.com", "login --url https://flows.example.com --profile production --key-stdin < key.txt"],
  async run(context, _, given) {
    const { env, input } = context.world
    const url = given.text("url") ?? env["SLUICE_URL"] ?? (context.isTerminal ? await asked("The server's address?") : undefined)
    if (url === undefined) throw usage("give the server: --url https://…")
    checkedAddress(url)
    const key = given.flag("keyStdin")
      ? (await streamText(input)).trim()
      : (given.text("key") ?? env["SLUICE_KEY"] ?? (context.isTerminal ? await asked("An API key of it?", true) : undefined))
    if (key === undefined || key === "") throw usage("give a key: --key-stdin, --key, or SLUICE_KEY")
    checkedKey(key, given.flag("keyStdin") ? "standard input" : "this login")
    const name = given.text("profile") ?? "default"
    if (!NAME.test(name)) throw usage(`"${name}" is not a name for a profile: use letters, digits, ".", "-" and "_"`)
    // A key that the server does not know is not kept.
    const client = await clientOf(env, { url, key, retries: 0, withinMs: PROMPT_MS })
    await client.runs.list({ limit: 1 }).page()
    const file = profileFile(env)
    const stored = await readProfiles(file)
    await writeProfiles(file, { current: name, profiles: { ...stored.profiles, [name]: { url: url.replace(/\/+$/, ""), key } } })
    context.show({ profile: name, url, file }, () => [`${url} is the profile "${name}", and the current one (${file})`])
    return EXIT.ok
  },
}

export const logout: Command = {
  name: "logout",
  says: "forget a profile and its key",
  words: ["[profile]"],
  examples: ["logout production"],
  offline: true,
  async run(context, words) {
    const file = profileFile(context.world.env)
    const stored = await readProfiles(file)
    const name = words.maybe(0) ?? stored.current ?? "default"
    const { [name]: gone, ...profiles } = stored.profiles
    if (gone === undefined) throw usage(`there is no profile "${name}"`)
    const { current } = stored
    await writeProfiles(file, { ...(current === undefined || current === name ? {} : { current }), profiles })
    context.show({ forgotten: name }, () => [`"${name}" is forgotten; its key is still valid on ${gone.url} (sluice keys revoke)`])
    return EXIT.ok
  },
}

async function asked(message: string, isSecret = false): Promise<string | undefined> {
  const { isCancel, password, text } = await import("@clack/prompts")
  const said = await (isSecret ? password({ message }) : text({ message }))
  return isCancel(said) ? undefined : said
}
