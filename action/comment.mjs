// node comment.mjs FILE CODE: the plan in FILE, which ended with CODE, as the job's summary, and as the one comment of this action on the pull
// request. JavaScript for the Node of the runner, without dependencies.

import { appendFile, readFile } from "node:fs/promises"

const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_STEP_SUMMARY, GITHUB_TOKEN, PULL_REQUEST, SLUICE_URL } = process.env
const [file = "", code = "0"] = process.argv.slice(2)

/** GitHub's limit is 65,536 characters. */
const MOST = 60_000
const PAGE = 100
/** Pages of comments that are looked through for this action's own. */
const PAGES = 10

const text = (await readFile(file, "utf8")).trim()
const shown = text.length > MOST ? `${text.slice(0, MOST)}\n… (the job's log has all of it)` : text
// Names of files are anybody's: no run of backticks in them ends the block.
const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length))
const fence = "`".repeat(longest + 1)
// One comment for each server.
const mark = `<!-- sluice plan ${Buffer.from(SLUICE_URL ?? "").toString("base64url")} -->`
const verdict = code === "0" ? "An apply would do this:" : "**An apply would be refused:**"
const body = `${mark}\n### Sluice plan\n\n${verdict}\n\n${fence}diff\n${shown}\n${fence}\n`

if (GITHUB_STEP_SUMMARY) await appendFile(GITHUB_STEP_SUMMARY, body)
if (PULL_REQUEST) await comment()

async function comment() {
  const repository = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}`
  const before = await own(`${repository}/issues/${PULL_REQUEST}/comments`)
  if (before === undefined) await ask("POST", `${repository}/issues/${PULL_REQUEST}/comments`, { body })
  else await ask("PATCH", `${repository}/issues/comments/${before}`, { body })
}

async function own(comments) {
  for (let page = 1; page <= PAGES; page++) {
    const found = await ask("GET", `${comments}?per_page=${PAGE}&page=${page}`)
    // Anybody can write the mark; only a bot's comment is this action's.
    const mine = found.find((one) => one.user?.type === "Bot" && one.body?.startsWith(mark))
    if (mine !== undefined) return mine.id
    if (found.length < PAGE) return undefined
  }
  return undefined
}

async function ask(method, url, value) {
  const answer = await fetch(url, {
    method,
    headers: { accept: "application/vnd.github+json", authorization: `Bearer ${GITHUB_TOKEN}`, "content-type": "application/json" },
    ...(value === undefined ? {} : { body: JSON.stringify(value) }),
  })
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${(await answer.text()).slice(0, 500)}`)
  return answer.json()
}
