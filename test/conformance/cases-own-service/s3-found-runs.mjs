// Runs are found by words, globs and times, in four orders: our own cases, in addition to the judge's.
import { agent, agents, assert, done, flow } from "../kit.mjs";
import { withTenants } from "../kit-service.mjs";

const step = "  - { id: a, type: agent, agent: a }\n";
const cat = { agents: agents(agent("a")), flows: { "refund.yaml": flow("refund", step), "reply.yaml": flow("reply", step) } };
const idsOf = ({ data }) => data.map((r) => r.id);

export default [
  {
    rule: "H5", name: "runs are found by words of their rows, globs of flows and spans of time, and sorted",
    model: { a: [done()] }, timeoutMs: 30_000,
    expect: ({ api, model }) => withTenants(api, model, 1, async (t) => {
      await t.putCatalog(cat); const ids = [];
      for (const [f, task] of [["refund", "Zo\u00eb was charged twice"], ["reply", "Ticket 50912"], ["refund", "Ticket 50913"]]) {
        const r = await t.post(`/v1/flows/${f}/runs`, { task, tags: [`tag-${ids.length}`] }); ids.push(r.id); await t.settle(r.id, [], 8000);
      }
      const q = async (s) => idsOf(await t.get(`/v1/runs?${s}`));
      assert.deepEqual(await q("q=ticket"), [ids[2], ids[1]]); assert.deepEqual(await q("q=TICKET%20refund"), [ids[2]]); assert.deepEqual(await q("q=zoe"), [ids[0]]);
      assert.deepEqual(await q("q=tag-1"), [ids[1]]); assert.deepEqual(await q(`q=${ids[1].slice(4, 20)}`), [ids[1]]); assert.deepEqual(await q("q=nothing"), []);
      assert.deepEqual(await q("flow=re*"), ids.toReversed()); assert.deepEqual(await q("flow=*ply"), [ids[1]]); assert.deepEqual(await q("flow=r*d,none"), [ids[2], ids[0]]);
      assert.deepEqual(await q("since=1h"), ids.toReversed()); assert.deepEqual(await q("until=1h"), []); assert.deepEqual(await q("sort=oldest"), ids);
      const seen = []; let cursor; do { const p = await t.get(`/v1/runs?sort=duration&limit=1${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`); assert.equal(p.complete, true); seen.push(...idsOf(p)); cursor = p.next_cursor; } while (cursor);
      assert.deepEqual(seen.sort(), [...ids].sort()); assert.equal((await t.get("/v1/runs/counts?q=ticket")).total, 2); assert.equal((await t.get("/v1/runs/counts?flow=*ply")).total, 1);
      for (const bad of ["q=", "since=soon", "until=-1d", "sort=best", "querry=x"]) { const r = await t.raw("GET", `/v1/runs?${bad}`); assert.equal(r.status, 422, bad); assert.equal((await r.json()).errors[0].pointer, `?${bad.split("=")[0]}`); }
    }),
  },
  {
    rule: "H14", name: "groups of failures are found by words, globs and times",
    model: { a: [{ error: { status: 400 } }] }, timeoutMs: 30_000,
    expect: ({ api, model }) => withTenants(api, model, 1, async (t) => {
      await t.putCatalog(cat);
      for (const f of ["refund", "refund", "reply"]) { const r = await t.post(`/v1/flows/${f}/runs`, { task: "go" }); await t.settle(r.id, [], 8000); }
      const flows = async (s) => (await t.get(`/v1/failures?${s}`)).data.map((g) => g.flow);
      assert.deepEqual((await flows("")).sort(), ["refund", "reply"]); assert.deepEqual(await flows("flow=re*d"), ["refund"]); assert.deepEqual(await flows("q=REPLY"), ["reply"]);
      assert.deepEqual(await flows("sort=count"), ["refund", "reply"]); assert.deepEqual(await flows("until=1h"), []); assert.equal((await flows("since=1h")).length, 2);
      for (const bad of ["q=", "since=soon", "sort=best"]) assert.equal((await t.raw("GET", `/v1/failures?${bad}`)).status, 422, bad);
    }),
  },
];
