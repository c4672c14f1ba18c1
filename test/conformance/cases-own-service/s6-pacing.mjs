// Pacing of model calls at a provider that says and enforces its limits: our own cases, in addition to the judge's.
import { agent, agents, assert, echo, flow } from "../kit.mjs";
import { until, withTenants } from "../kit-service.mjs";

const FLOW = { "f.yaml": flow("f", "  - { id: a, type: agent, agent: a }\n"), "low.yaml": flow("low", "  - { id: a, type: agent, agent: a }\n", "start: { priority: low }\n") };
const cat = { agents: agents(agent("a").replace("script/a", "own/m")), flows: FLOW };
// A provider of kind openai-compatible. say(n) -> {status?, headers?}: what its n-th answer has besides a `finish`.
const provider = (say = () => ({})) => { let n = 0; return echo((hit, res) => {
  const { status = 200, headers = {} } = say(n++, hit);
  if (status !== 200) { res.writeHead(status, { "content-type": "application/json", ...headers }).end('{"error":{"message":"slow down"}}'); return; }
  res.writeHead(200, { "content-type": "text/event-stream", ...headers });
  const chunk = (delta, finish_reason, more) => res.write(`data: ${JSON.stringify({ id: "c", created: 1, model: "m", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`);
  chunk({ role: "assistant", tool_calls: [{ index: 0, id: `c${n}`, type: "function", function: { name: "finish", arguments: '{"status":"complete","summary":"done","files":[]}' } }] }, null);
  chunk({}, "tool_calls", { usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } }); res.end("data: [DONE]\n\n");
}); };
const withProvider = (say, fn) => ({ timeoutMs: 60_000, expect: ({ api, model }) => withTenants(api, model, 1, async (t) => {
  const p = await provider(say); try { await t.put("/v1/settings/providers/own", { kind: "openai-compatible", baseUrl: `${p.url}/v1`, apiKey: "own-key" }); await t.putCatalog(cat); return await fn(t, p); } finally { await p.close(); }
}) });
const go = (t, more = {}, name = "f") => t.post(`/v1/flows/${name}/runs`, { task: "go", ...more });
const view = (t, id) => t.get(`/v1/runs/${id}`);
const now = async (t) => (await t.get("/v1/settings/pacing/now")).data.find((m) => m.model === "own/m");

export default [
  {
    rule: "R24", name: "the pacing setting is checked member by member, and read back as it was put",
    ...withProvider(undefined, async (t) => {
      const wrong = [[{ models: { "own/m": { rpm: 0 } } }, "/models/own~1m/rpm"], [{ models: { "own/m": { rpm: 1.5 } } }, "/models/own~1m/rpm"], [{ models: { "own/m": { tpm: 1_000_000_001 } } }, "/models/own~1m/tpm"], [{ models: { "own/m": { itpm: "50" } } }, "/models/own~1m/itpm"], [{ models: { "own/m": { otpm: -1 } } }, "/models/own~1m/otpm"], [{ models: { "own/m": { rps: 5 } } }, "/models/own~1m/rps"], [{ models: { "own/m": { spill: "yes" } } }, "/models/own~1m/spill"], [{ models: { own: { rpm: 5 } } }, "/models/own"], [{ models: { "*": { rpm: 5 } } }, "/models/*"], [{ models: { "own/": { rpm: 5 } } }, "/models/own~1"], [{ learn: 1 }, "/learn"], [{ rpm: 5 }, "/rpm"], [{ models: Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`own/m${i}`, { rpm: 1 }])) }, "/models"]];
      for (const [body, at] of wrong) { const r = await t.raw("PUT", "/v1/settings/pacing", body); const b = await r.json(); assert.equal(r.status, 422, JSON.stringify([Object.keys(body), b]).slice(0, 300)); assert.ok(b.errors.some((e) => e.pointer === at), `${at}: ${JSON.stringify(b.errors).slice(0, 300)}`); }
      const good = { models: { "own/*": { rpm: 50 }, "own/m": { itpm: 30_000, otpm: 8_000, spill: true } }, learn: false }; await t.put("/v1/settings/pacing", good); assert.deepEqual(await t.get("/v1/settings/pacing"), good);
      const k = await t.post("/v1/keys", { name: "w", scopes: ["runs:write", "runs:read", "catalog:write"] }); for (const [m, p, b] of [["GET", "/v1/settings/pacing"], ["PUT", "/v1/settings/pacing", good], ["GET", "/v1/settings/pacing/now"]]) assert.equal((await t.raw(m, p, b, { authorization: `Bearer ${k.key}` })).status, 403, p);
    }),
  },
  {
    rule: "R29", name: "a call above a limit waits: its run says for what, everyone is told running, it is no call, and a canceled one leaves the line",
    ...withProvider(undefined, async (t, p) => {
      await t.put("/v1/settings/pacing", { models: { "own/m": { rpm: 20 } } });
      const ids = []; for (let i = 0; i < 6; i++) ids.push((await go(t)).id);
      const paced = await until(async () => { for (const id of ids) { const v = await view(t, id); if (v.steps.a?.paced) return v; } return undefined; }, 10_000, "a paced step");
      assert.equal(paced.status, "running"); assert.equal(paced.steps.a.paced.model, "own/m"); assert.ok(Date.parse(paced.steps.a.paced.until)); assert.equal(typeof paced.steps.a.paced.ahead, "number");
      assert.equal((await t.get(`/v1/runs?flow=f&status=running`)).data.some((r) => r.id === paced.id), true);
      const events = await t.events(paced.id); const said = events.find((e) => e.type === "model.paced"); assert.equal(said.step, "a"); assert.equal(said.model, "own/m"); assert.ok(events.some((e) => e.type === "run.waiting" && e.reason === "pace"));
      const seen = await now(t); assert.equal(seen.set.rpm, 20); assert.ok(seen.waiting >= 1); assert.ok(seen.longest_ms > 0); assert.equal(seen.used.requests <= 6, true);
      await t.post(`/v1/runs/${paced.id}/cancel`); for (const id of ids.filter((x) => x !== paced.id)) { const v = await t.settle(id, [], 30_000); assert.equal(v.status, "succeeded"); assert.equal((await t.events(id)).filter((e) => e.type === "model.replied").length, 1); }
      const late = await Promise.all(ids.map((id) => view(t, id))); assert.ok(late.some((v) => (v.steps.a?.paced_ms ?? 0) > 1_000)); assert.equal((await t.get(`/v1/runs/${paced.id}`)).status, "canceled"); assert.equal(p.hits.length, 5);
    }),
  },
  {
    rule: "R31", name: "a refusal with a time is no try and stops the model until then, and learned headers bound the next calls",
    ...withProvider((n) => n === 0 ? { status: 429, headers: { "retry-after": "3" } } : { headers: { "x-ratelimit-limit-requests": "30", "x-ratelimit-remaining-requests": "20", "x-ratelimit-reset-requests": "20s" } }, async (t, p) => {
      const a = await go(t); const stop = await until(async () => (await now(t))?.stopped_until, 5_000, "the stop"); assert.ok(Date.parse(stop) > Date.now());
      const b = await go(t, { start: { priority: "high" } }); const av = await t.settle(a.id, [], 20_000), bv = await t.settle(b.id, [], 20_000); assert.deepEqual([av.status, bv.status], ["succeeded", "succeeded"]);
      const refused = (await t.events(a.id)).filter((e) => e.type === "model.failed"); assert.equal(refused.length, 1); assert.equal(refused[0].paced, true); assert.ok(Date.parse(stop) - Date.now() < 3_000);
      const [first, , third] = p.hits; assert.ok(first && third);
      // What answers said goes with an isolate's next question, five seconds later.
      const seen = await until(async () => { await t.settle((await go(t)).id, [], 20_000); const m = await now(t); return m?.learned.rpm !== undefined && m; }, 20_000, "a learned rate"); assert.equal(seen.learned.rpm, 30); assert.deepEqual(seen.set, {});
      const off = await t.put("/v1/settings/pacing", { learn: false }); assert.ok(off === undefined || off); await until(async () => (await now(t))?.learned.rpm === undefined, 8_000, "what was learned counts no more");
    }),
  },
];
