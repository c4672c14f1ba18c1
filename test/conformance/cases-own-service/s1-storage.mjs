// Storage quotas: our own cases, in addition to the judge's service cases.
import { agent, agents, assert, done } from "../kit.mjs";
import { one, until, withTenants } from "../kit-service.mjs";

const cat = { agents: agents(agent("a")), flows: one };

export default [
  {
    rule: "H6", name: "stored data is counted; at the limit, a start is refused with the figures and a schedule's fire waits; deleting makes room",
    model: { a: [done()] }, timeoutMs: 30_000,
    expect: ({ api, model }) => withTenants(api, model, 1, async (t, root) => {
      await t.putCatalog(cat);
      const storage = async () => (await root.get(`/v1/tenants/${t.id}`)).storage;
      const run = await t.start("f", { task: "go" }); await t.settle(run, [], 8000);
      await until(async () => (await storage()).runs > 0, 10_000);
      const { total } = await storage();
      await root.put(`/v1/tenants/${t.id}/quotas`, { storage_bytes: 100 });
      const no = await t.raw("POST", "/v1/flows/f/runs", { task: "go" });
      const why = await no.json(); assert.equal(no.status, 409); assert.equal(why.code, "storage_full"); assert.equal(no.headers.get("retry-after"), null);
      assert.ok(why.detail.includes(String(total)) && why.detail.includes("100"), why.detail);
      const file = await t.raw("PUT", "/v1/objects/a.bin", "x".repeat(200)); assert.equal(file.status, 409);
      const s = await t.post("/v1/schedules", { flow: "f", cron: "0 0 1 1 *", task: "go" });
      const fired = await t.post(`/v1/schedules/${s.id}/fire`, {});
      await until(async () => (await t.get(`/v1/runs/${fired.run}`)).status === "queued", 10_000);
      assert.equal((await t.raw("DELETE", `/v1/runs/${run}`)).status, 204);
      assert.equal((await t.settle(fired.run, [], 15_000)).status, "succeeded");
    }),
  },
];
