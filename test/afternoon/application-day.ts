// Plays the support application: applied, run, approved, triggered, bounded, mended by a fork, protected by a gate.

import { createHmac } from "node:crypto"
import type { Book } from "./book.ts"
import { SECRETS } from "./application.ts"
import type { Town } from "./town.ts"
import type { User } from "./user.ts"

const REFUND = (order: string): readonly string[] => ["--input", "ticket=5", "--input", `text=Please refund order ${order}.`]
const runIn = (out: string): string => /run_\w+/.exec(out)?.[0] ?? "run_none"

export async function applicationDay(user: User, town: Town, url: string, book: Book): Promise<void> {
  await book.stage("apply, a run of two calls, and one that a person approves", "of 25 min", async () => {
    book.says("apply names what it sends", (await user.sluice(["apply"])).out, [
      /\+ hooks\/tickets\.yaml/,
      /\+ flows\/support\.yaml/,
      /revision \d+/,
    ])
    const small = await user.sluice(["run", "support", ...REFUND("A1")])
    book.says("a refund of 40 needs nobody", small.out, [/run succeeded/, /refunded\s+40/, /said\s+Dear customer/])
    const [refund] = town.told("/orders/A1/refunds")
    book.check(
      "the shop got it once, with its key, and a key against repetition",
      town.told("/orders/A1/refunds").length === 1 && refund?.body === '{"amount":40}' && refund.headers["idempotency-key"] !== undefined,
      JSON.stringify(town.told("")),
    )
    book.check("a number for a text is a text", town.told("/tickets/5/reply").length === 1, JSON.stringify(town.told("")))
    const large = await user.sluice(["run", "support", ...REFUND("B2")])
    book.check("a refund of 140 waits, and the exit code says so", large.code === 4, large.out)
    book.says("the question is the exact call, and says why it is asked", large.out, [/shop\.createRefund/, /"?amount"?:\s*140/, /why: /])
    const run = runIn(large.out)
    book.says("the inbox has it", (await user.sluice(["inbox"])).out, [new RegExp(`${run}/i1`), /"?amount"?:\s*140/])
    book.says("approve", (await user.sluice(["approve", `${run}/i1`])).out, [/answered/])
    book.says("it goes on", (await user.sluice(["watch", run, "--wait"])).out, [/run succeeded/, /refunded\s+140/])
    book.check("and is sent once", town.told("/orders/B2/refunds").length === 1, "")
  })
  await book.stage("tests", "3 of 3 when first run", async () => {
    book.says("the refusal, too", (await user.sluice(["test", "support"])).out, [/3 passed, 0 failed/])
  })
  await book.stage("hook, duplicate, forgery, Slack, schedule, callback", "of 25 min", () => triggers(user, town, book))
  await book.stage("budget and policy", "of 25 min", () => bounds(user, town, url, book))
  await book.stage("a failed run, forked with a mended prompt", "of 25 min", () => forked(user, town, book))
  await book.stage("backtest and gate", "of 25 min", () => gated(user, book))
}

const hex = (secret: string, text: string): string => createHmac("sha256", secret).update(text).digest("hex")

async function triggers(user: User, town: Town, book: Book): Promise<void> {
  const urlOf = async (name: string): Promise<string> => {
    const shown = await user.sluice(["hooks", "show", name])
    return /"url": "([^"]+)"/.exec(shown.out)?.[1] ?? "http://127.0.0.1:1/none"
  }
  const body = JSON.stringify({ action: "opened", id: "T-9", text: "Please refund order A9." })
  await user.write({ "delivery.json": body })
  const tried = await user.sluice(["hooks", "test", "tickets", "--file", "delivery.json"])
  book.says("hooks test says what would start", tried.out, [/accepted/, /starts support/, /input text: "Please refund order A9\."/])
  const [tickets, slack] = [await urlOf("tickets"), await urlOf("slack")]
  const deliver = async (signature: string): Promise<{ status: number; text: string }> => {
    const headers = { "content-type": "application/json", "x-desk-signature": signature }
    const answer = await fetch(tickets, { method: "POST", headers, body })
    return { status: answer.status, text: await answer.text() }
  }
  const first = await deliver(hex(SECRETS["desk"] ?? "", body))
  book.says("a delivery starts a run", `${first.status} ${first.text}`, [/^20\d/, /run_\w+/])
  const again = await deliver(hex(SECRETS["desk"] ?? "", body))
  book.check("the same delivery is the same run", runIn(again.text) === runIn(first.text), again.text)
  const forged = await deliver("00")
  book.says("a forged one is 401, and says what is wrong", `${forged.status} ${forged.text}`, [/^401/, /signature/i])
  const done = await user.sluice(["watch", runIn(first.text), "--wait"])
  book.says("its run needs nobody below 100", done.out, [/run succeeded/, /refunded\s+40/])
  book.says("the list says what started it", (await user.sluice(["runs", "--flow", "support"])).out, [/by hook tickets/])
  const [at, challenge] = [String(Math.floor(Date.now() / 1000)), JSON.stringify({ type: "url_verification", challenge: "abc" })]
  const signed = { "x-slack-request-timestamp": at, "x-slack-signature": `v0=${hex(SECRETS["slack"] ?? "", `v0:${at}:${challenge}`)}` }
  const answer = await fetch(slack, { method: "POST", headers: { "content-type": "application/json", ...signed }, body: challenge })
  book.says("Slack's challenge is answered", await answer.text(), [/abc/])

  const fired = await user.sluice(["schedules", "fire", "nightly"])
  book.says("a schedule fires", (await user.sluice(["watch", runIn(fired.out)])).out, [/run succeeded/])
  for (let waited = 0; waited < 200 && !town.calls.desk.some(({ body: told }) => told.includes(runIn(fired.out))); waited++)
    await new Promise((resolve) => setTimeout(resolve, 100))
  const told = town.calls.desk.find((one) => one.body.includes(runIn(fired.out)) && one.body.includes("run.succeeded"))
  const key = Buffer.from((SECRETS["callback"] ?? "").replace("whsec_", ""), "base64")
  const [id, when] = [String(told?.headers["webhook-id"]), String(told?.headers["webhook-timestamp"])]
  const mine = createHmac("sha256", key).update(`${id}.${when}.${told?.body}`).digest("base64")
  book.check(
    "the callback is signed",
    String(told?.headers["webhook-signature"]).includes(`v1,${mine}`),
    JSON.stringify(town.calls.desk.at(-1) ?? null),
  )
  book.check(
    "a question is told with a link for a person",
    town.calls.desk.some((one) => /run\.waiting[\s\S]*\/i\//.test(one.body)),
    "",
  )
}

async function bounds(user: User, town: Town, url: string, book: Book): Promise<void> {
  const asked = town.calls.model.length
  const poor = await user.sluice(["run", "support", ...REFUND("A1"), "--budget", "0.0001"])
  book.check("a budget stops before the first call", poor.code === 4 && town.calls.model.length === asked, poor.out)
  book.says("it says which limit, and both answers", poor.out, [/usd: 0 of 0\.0001 used/, /answer stop/])
  await user.sluice(["answer", `${runIn(poor.out)}/i1`, "stop"])
  const stopped = await user.sluice(["watch", runIn(poor.out)])
  book.says("stop ends it", stopped.out, [/run (?:failed|canceled)/, /budget/])

  const policy = (await user.read("policy.yaml")) ?? ""
  await user.write({ "policy.yaml": 'tools: { deny: ["shop.createRefund"] }\n' })
  book.says("a policy is applied", (await user.sluice(["apply"])).out, [/policy\.yaml/])
  const granted = await fetch(`${url}/v1/agents/clerk/tools`, { headers: { authorization: "Bearer sl_local_dev" } })
  book.says("the server says what it takes from an agent, and by which rule", await granted.text(), [
    /"name":"shop\.createRefund","granted":false,"rule":"[^"]*deny[^"]*"/,
  ])
  await user.sluice(["run", "support", ...REFUND("A7"), "--applied"])
  book.check("and does not leave", town.told("/orders/A7/refunds").length === 0, "")
  await user.write({ "policy.yaml": policy })
  await user.sluice(["apply"])
}

async function forked(user: User, town: Town, book: Book): Promise<void> {
  town.isShopOpen = false
  const failed = await user.sluice(["run", "support", ...REFUND("A3")])
  town.isShopOpen = true
  book.check("a failing shop fails the run, and the exit code says so", failed.code === 1, failed.out)
  book.says("and says at which step, and what the shop answered", failed.out, [/run failed/, /reply/, /500/])
  const writer = (await user.read("agents/writer.md")) ?? ""
  await user.write({ "agents/writer.md": writer.replace("Write two friendly sentences.", "Be brief.") })
  const check = await user.sluice(["fork", runIn(failed.out), "--from", "write", "--file", "agents/writer.md", "--check"])
  book.says("a fork says first what it keeps", check.out, [/keeps\s+.*refund/, /asks again\s+.*write/, /changed\s+.*write/])
  const fork = runIn((await user.sluice(["fork", runIn(failed.out), "--from", "write", "--file", "agents/writer.md"])).out)
  await user.sluice(["watch", fork])
  book.says("what leaves is shown before it does", (await user.sluice(["inbox"])).out, [new RegExp(`${fork}/i1\\s+effects`), /shop\.reply/])
  const wrong = await user.sluice(["answer", `${fork}/i1`, "--value", '{"comit": "all"}'])
  book.says("a misspelled answer is refused, and says how", wrong.out, [/commit/])
  await user.sluice(["answer", `${fork}/i1`, "--value", '{"commit": "all"}'])
  book.says("the mended prompt wrote it", (await user.sluice(["watch", fork, "--wait"])).out, [
    /run succeeded/,
    /reply\s+Done\./,
    /refunded\s+40/,
  ])
  book.check("nothing was refunded twice", town.told("/orders/A3/refunds").length === 1, "")
  const told = town.told("/tickets/5/reply").at(-1)
  book.check("the customer hears once", told?.body.includes("Done.") === true, JSON.stringify(told))
  await user.sluice(["apply"])
}

async function gated(user: User, book: Book): Promise<void> {
  const sorter = (await user.read("agents/sorter.md")) ?? ""
  await user.write({ "agents/sorter.md": sorter.replace("Say the topic", "Say carefully the topic") })
  const backtest = await user.sluice(["backtest", "support", "--last", "3"])
  book.says("a backtest says which runs a change would touch", backtest.out, [/changed run_\w+/, /prompt/])
  await user.write({ "gate.yaml": "flows:\n  - { match: support, tests: true, backtest: { last: 3, allow: [prompt] } }\n" })
  book.says("the gate is applied with it", (await user.sluice(["apply"])).out, [/gate\.yaml/])
  const topics = (await user.read("lib/topics.ts")) ?? ""
  await user.write({ "lib/topics.ts": topics.replace('=== "refund"', '=== "refunds"') })
  const plan = await user.sluice(["plan"])
  book.says("a change that sends runs another way fails it, with the runs and why", plan.out, [
    /gate FAILED: support/,
    /run_\w+/,
    /route|branch/,
  ])
  book.check("and plan ends with 1", plan.code === 1, plan.out)
  const applied = await user.sluice(["apply"])
  book.check("apply writes nothing", applied.code !== 0 && /gate/.test(applied.out), applied.out)
  await user.write({ "lib/topics.ts": topics })
  book.says("taken back, there is nothing to do", (await user.sluice(["plan"])).out, [/has all of it/])
}
