// An agent with more tools than its prompt holds: our own case, in addition to the judge's tool cases.
import { agent, agents, assert, done, echo, ran, world } from "../kit.mjs";
import { withTenants } from "../kit-service.mjs";

// 120 operations of about 1,300 characters each: far beyond the 20,000 tokens that a prompt takes.
const NOUNS = ["invoice", "parcel", "refund", "ticket", "voucher", "customer", "contract", "meter", "tariff", "branch"];
const operations = (url) => Object.fromEntries(Array.from({ length: 120 }, (_, i) => {
  const noun = NOUNS[i % NOUNS.length]; const number = Math.floor(i / NOUNS.length);
  return [`${noun}_${number}`, {
    description: `Reads the ${noun} of ledger ${number}. ${"It answers with all of its fields and their history. ".repeat(20)}`,
    parameters: { type: "object", properties: { id: { type: "string", description: `The ${noun}'s number.` } }, required: ["id"], additionalProperties: false },
    request: { method: "GET", url: `${url}/${noun}/${number}/\${{args.id}}` }, effect: "read", untrusted: false,
  }];
}));
const flow = { "f.yaml": "name: f\ndescription: tool search\nsteps:\n  - { id: a, type: agent, agent: a }\n" };

export default [
  {
    rule: "T8", name: "of 120 registered tools the model is sent a search and not the tools; what it finds, it calls, and one that it never searched works too",
    timeoutMs: 60_000, model: {},
    expect: ({ api, model }) => withTenants(api, model, 1, async (t) => {
      const s = await echo(() => ({ state: "open" })); const tools = operations(s.url); const names = Object.keys(tools);
      try {
        await world(t, { tools, catalog: { agents: agents(agent("a", `tools: ${names.join(", ")}\n`)), flows: flow } }, async () => {
          model.reset({ a: [
            { calls: [{ name: "tool_search", args: { query: "voucher ledger 7" } }] },
            { calls: [{ name: "voucher_7", args: { id: "V-1" } }] },
            { calls: [{ name: "meter_3", args: { id: "M-2" } }, { name: "no_such_tool", args: {} }] },
            done(),
          ] });
          const { run, of } = await ran(t);
          assert.equal(run.status, "succeeded", JSON.stringify(run.error));
          const [first, second] = model.requests;
          assert.ok(first.tools.includes("tool_search") && !first.tools.some((name) => names.includes(name)), first.tools.join());
          assert.ok(JSON.stringify(first.body).length < 20_000, `the first request has ${JSON.stringify(first.body).length} characters`);
          assert.ok(second.tools.includes("voucher_7"), "what was found is sent from then on");
          assert.deepEqual(s.hits.map((hit) => hit.path), ["/voucher/7/V-1", "/meter/3/M-2"]);
          assert.deepEqual(of("tool.refused").map((e) => [e.tool, e.code]), [["no_such_tool", "undeclared"]]);
        });
      } finally { await s.close(); }
    }),
  },
];
