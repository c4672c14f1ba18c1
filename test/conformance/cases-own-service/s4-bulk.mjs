// One act on many runs: our own cases, in addition to the judge's.
import { agent, agents, assert, done, flow } from "../kit.mjs";
import { one, until, withTenants } from "../kit-service.mjs";

const cat = { agents: agents(agent("a")), flows: { ...one, "w.yaml": flow("w", "  - { id: w, type: wait, signal: go, timeout: 10m }\n") } };
const over = (t, id) => until(async () => (await t.get(`/v1/bulk/${id}`)).status !== "running", 20_000, "the end of the bulk");
const bulk = async (t, body) => { const r = await t.raw("POST", "/v1/bulk", body); assert.equal(r.status, 202, await r.clone().text()); const b = await r.json(); assert.equal(r.headers.get("location").endsWith(`/v1/bulk/${b.id}`), true); await over(t, b.id); return t.get(`/v1/bulk/${b.id}`); };

export default [
  {
    rule: "R42", name: "failed runs are counted, run again, each once, tagged with the bulk, and deleted",
    model: { a: (r, n) => n < 12 ? { error: { status: 400 } } : done() }, timeoutMs: 60_000,
    expect: ({ api, model }) => withTenants(api, model, 1, async (t) => {
      await t.putCatalog(cat); const ids = [];
      for (let i = 0; i < 12; i++) { const r = await t.post("/v1/flows/f/runs", { task: `go ${i}` }); ids.push(r.id); assert.equal((await t.settle(r.id, [], 8000)).status, "failed"); }
      const filter = { status: "failed", flow: "f*", since: "1h" };
      const check = async (body) => { const r = await t.raw("POST", "/v1/bulk?check=1", body); assert.equal(r.status, 200); return r.json(); };
      assert.deepEqual(await check({ action: "again", filter }), { action: "again", count: 12, complete: true, effects: { live: 12, staged: 0, dry: 0 }, runs: ids.toReversed() });
      const many = await t.raw("POST", "/v1/bulk", { action: "again", filter, most: 11 }); const why = await many.json(); assert.equal(many.status, 422); assert.equal(why.count, 12); assert.equal(why.errors[0].pointer, "/most");
      const again = await bulk(t, { action: "again", filter, again: { tags: ["mended"] } });
      assert.deepEqual([again.count, again.done, again.skipped, again.failed, again.status], [12, 12, 0, 0, "done"]);
      const items = (await t.get(`/v1/bulk/${again.id}/items`)).data; assert.deepEqual(items.map((i) => i.run).sort(), [...ids].sort()); assert.equal(new Set(items.map((i) => i.new)).size, 12);
      const made = (await t.get(`/v1/runs?tag=${again.id}`)).data; assert.deepEqual(made.map((r) => r.id).sort(), items.map((i) => i.new).sort()); assert.ok(made.every((r) => r.tags.includes("mended") && ids.includes(r.fork.run)));
      for (const { new: id } of items) assert.equal((await t.settle(id, [], 8000)).status, "succeeded");
      const gone = await bulk(t, { action: "delete", filter }); assert.equal(gone.done, 12);
      assert.equal((await t.get("/v1/runs?status=failed")).data.length, 0); assert.equal((await t.raw("GET", `/v1/runs/${ids[0]}`)).status, 404);
      assert.deepEqual((await t.get("/v1/bulk")).data.map((b) => b.id), [gone.id, again.id]);
    }),
  },
  {
    rule: "R44", name: "canceling what has ended is skipped, and a fork without its step fails with its reason",
    model: { a: [done()] }, timeoutMs: 60_000,
    expect: ({ api, model }) => withTenants(api, model, 1, async (t) => {
      await t.putCatalog(cat);
      const ended = (await t.post("/v1/flows/f/runs", { task: "go" })).id; await t.settle(ended, [], 8000);
      const live = (await t.post("/v1/flows/w/runs", { task: "go" })).id; await until(async () => (await t.get(`/v1/runs/${live}`)).status === "waiting", 8000);
      assert.equal((await t.raw("POST", "/v1/bulk", { action: "delete", runs: [live] })).status, 202);
      const b = await bulk(t, { action: "cancel", runs: [ended, live] }); assert.deepEqual([b.done, b.skipped], [1, 1]);
      assert.equal((await t.get(`/v1/runs/${live}`)).status, "canceled");
      const f = await bulk(t, { action: "fork", runs: [ended, live], fork: { from: { step: "nope" } } }); assert.deepEqual([f.done, f.failed], [0, 2]);
      const [item] = (await t.get(`/v1/bulk/${f.id}/items?outcome=failed`)).data; assert.ok(item.reason.length > 10, item.reason);
      for (const body of [{ action: "cancel" }, { action: "cancel", filter: {} }, { action: "stop", runs: [ended] }, { action: "cancel", filter: { children: "1" } }]) assert.equal((await t.raw("POST", "/v1/bulk", body)).status, 422);
      assert.equal((await t.raw("GET", "/v1/bulk/bulk_none")).status, 404);
    }),
  },
];
