// The catalog: tiers, one writer, history, conditions, files that no longer load [F70–F74].
import { agent, agents, assert, codes, done, flow } from "../kit.mjs";
import { answerOf, asksOf, follow, putText, refused, until } from "../kit-flows.mjs";

const said = (name, body) => agent(name, "", `${body}\n\${{task}}\n`);
const one = (name = "a") => flow("f", `  - { id: s, type: agent, agent: ${name} }\n`);
const row = async (api, kind, id) => (await api.get("/v1/catalog")).data.find((r) => r.kind === kind && r.id === id);
/** Registers packages for one case. */
async function withPackages(api, packages, body) {
  try {
    for (const [name, p] of Object.entries(packages)) await api.put(`/v1/packages/${name}`, { version: "1.0.0", ...p });
    return await body();
  } finally {
    for (const name of Object.keys(packages)) await api.raw("DELETE", `/v1/packages/${name}`);
  }
}

export default [
  {
    rule: "F70", name: "local before package before built-in; a hidden file and the file that hides it are warnings",
    catalog: { agents: {} },
    model: { a: [done()] },
    async expect({ api, model }) {
      const builtIn = (await api.post("/v1/tools/agent_catalog", {})).find((a) => a.source_type === "built-in");
      assert.ok(builtIn, "something is shipped");
      await withPackages(api, { kit: { agents: agents(said("a", "FROM PACKAGE"), said(builtIn.name, "PACKAGE OVER BUILT-IN")), flows: { "f.yaml": one() } } }, async () => {
        const sources = async () => Object.fromEntries((await api.post("/v1/tools/agent_catalog", {})).map((a) => [a.name, a.source_type]));
        assert.deepEqual([(await sources()).a, (await sources())[builtIn.name]], ["package", "package"]);
        assert.equal((await row(api, "flow", "f")).tier, "package");
        await follow(api, "f");
        assert.match(model.requests.at(-1).system, /FROM PACKAGE/);
        const put = await answerOf(putText(api, "/v1/agents/a", said("a", "FROM LOCAL")));
        assert.equal(put.status, 200);
        assert.ok(put.body.diagnostics.some((d) => d.code === "CAT-SHADOW" && d.severity === "warning"), put.text);
        assert.equal((await sources()).a, "local");
        await follow(api, "f");
        assert.match(model.requests.at(-1).system, /FROM LOCAL/);
        assert.equal((await api.raw("DELETE", "/v1/agents/a")).status, 204);
        assert.equal((await sources()).a, "package", "what was hidden is back");
      });
      assert.equal((await api.post("/v1/tools/agent_catalog", {})).find((a) => a.name === builtIn.name).source_type, "built-in");
      assert.equal((await api.raw("GET", "/v1/flows/f")).status, 404);
    },
  },
  {
    rule: "F70", name: "a package is a bundle with a version, judged as a whole, replaced and removed as a whole",
    catalog: { agents: {} },
    async expect({ api }) {
      await refused(api.raw("PUT", "/v1/packages/kit", { agents: agents(agent("a")) }), 422, /version/);
      await refused(api.raw("PUT", "/v1/packages/kit", { version: "1.0.0", agents: agents(agent("a")), flows: { "f.yaml": one("nobody") } }), 422, /FV-AGENT/);
      await refused(api.raw("GET", "/v1/packages/kit"), 404);
      await withPackages(api, { kit: { agents: agents(agent("a"), agent("b")), flows: { "f.yaml": one() } } }, async () => {
        const [listed] = (await api.get("/v1/packages")).data.filter((p) => p.name === "kit");
        assert.deepEqual([listed.version, listed.agents, listed.flows, listed.skills], ["1.0.0", 2, 1, 0]);
        await api.put("/v1/packages/kit", { version: "2.0.0", agents: agents(agent("a")) });
        await refused(api.raw("GET", "/v1/agents/b"), 404);
        await refused(api.raw("GET", "/v1/flows/f"), 404);
        const whole = await api.get("/v1/packages/kit");
        assert.deepEqual([whole.version, Object.keys(whole.agents)], ["2.0.0", ["a.md"]]);
      });
      await refused(api.raw("GET", "/v1/packages/kit"), 404);
      await refused(api.raw("DELETE", "/v1/packages/kit"), 404);
    },
  },
  {
    rule: "F71", name: "simultaneous writes get their own revisions, and all of them persist",
    catalog: { agents: agents(agent("a")) },
    async expect({ api }) {
      const before = (await api.get("/v1/catalog")).revision;
      const names = Array.from({ length: 12 }, (_, i) => `n${i}`);
      const answers = await Promise.all(names.map((n) => putText(api, `/v1/agents/${n}`, agent(n))));
      assert.deepEqual(answers.map((r) => r.status), names.map(() => 200));
      const after = await api.get("/v1/catalog");
      assert.equal(after.revision, before + 12);
      for (const n of names) assert.ok(after.data.some((r) => r.kind === "agent" && r.id === n), n);
      const revisions = (await api.get("/v1/catalog/history?limit=12")).data.map((r) => r.revision);
      assert.deepEqual(revisions, Array.from({ length: 12 }, (_, i) => before + 12 - i));
    },
  },
  {
    rule: "F71", name: "after the 200 the next run sees it; the same text has the same hash, a different text a different one",
    catalog: { agents: agents(said("a", "V0")), flows: { "f.yaml": one() } },
    model: { a: [done()] },
    async expect({ api, model }) {
      for (const v of ["V1", "V2", "V3"]) {
        assert.equal((await putText(api, "/v1/agents/a", said("a", v))).status, 200);
        await follow(api, "f");
        assert.match(model.requests.at(-1).system, new RegExp(v));
      }
      const third = (await api.raw("GET", "/v1/agents/a")).headers.get("etag");
      await putText(api, "/v1/agents/a", said("a", "V4"));
      const fourth = (await api.raw("GET", "/v1/agents/a")).headers.get("etag");
      await putText(api, "/v1/agents/a", said("a", "V3"));
      assert.equal((await api.raw("GET", "/v1/agents/a")).headers.get("etag"), third);
      assert.notEqual(third, fourth);
      assert.equal((await api.raw("GET", "/v1/agents/a", undefined, { "if-none-match": third })).status, 304);
    },
  },
  {
    rule: "F72", name: "a run keeps its flow, its child's flow and its skills from when it began",
    catalog: { agents: agents(agent("a"), agent("b", "skills: docs\n")), skills: { "docs/SKILL.md": "---\nname: docs\ndescription: d\n---\nOLD-SKILL\n" },
      flows: { "child.yaml": flow("child", "  - { id: s, type: agent, agent: b, task: OLD-CHILD }\n"), "f.yaml": flow("f", "  - { id: first, type: agent, agent: a }\n  - { id: sub, type: flow-ref, flow: child }\n  - { id: old-end, type: agent, agent: a }\n") } },
    model: { a: [{ ...done(), delayMs: 1_200 }, done()], b: [done()] },
    async expect({ api, model }) {
      const id = await api.start("f", { task: "go" });
      await until("the first call", () => model.requests.length);
      await api.put("/v1/catalog", { skills: { "docs/SKILL.md": "---\nname: docs\ndescription: d\n---\nNEW-SKILL\n" }, flows: { "child.yaml": flow("child", "  - { id: t, type: agent, agent: b, task: NEW-CHILD }\n"), "f.yaml": flow("f", "  - { id: first, type: agent, agent: a }\n  - { id: sub, type: flow-ref, flow: child }\n") } });
      const run = await api.settle(id, [], 10_000);
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(Object.keys(run.steps), ["first", "sub", "old-end"]);
      const old = asksOf(model.requests, "b")[0];
      assert.match(old.user, /OLD-CHILD/);
      assert.match(old.system, /OLD-SKILL/);
      await follow(api, "f");
      const fresh = asksOf(model.requests, "b")[1];
      assert.match(fresh.user, /NEW-CHILD/);
      assert.match(fresh.system, /NEW-SKILL/);
    },
  },
  {
    rule: "F72", name: "the catalog and its files at a past revision, and a start of a past flow",
    catalog: { agents: agents(said("a", "FIRST")), flows: { "f.yaml": one() } },
    model: { a: [done()] },
    async expect({ api, model }) {
      const then = (await api.get("/v1/catalog")).revision;
      await putText(api, "/v1/agents/a", said("a", "SECOND"));
      await putText(api, "/v1/agents/b", agent("b"));
      const now = (await api.get("/v1/catalog")).revision;
      assert.equal(now, then + 2);
      const old = await api.get(`/v1/catalog?revision=${then}`);
      assert.deepEqual([old.revision, old.data.some((r) => r.id === "b" && r.kind === "agent")], [then, false]);
      assert.match((await answerOf(api.raw("GET", `/v1/agents/a?revision=${then}`))).text, /FIRST/);
      assert.match((await answerOf(api.raw("GET", "/v1/agents/a"))).text, /SECOND/);
      const { run } = await follow(api, `f@${then}`);
      assert.equal(run.status, "succeeded");
      assert.match(model.requests.at(-1).system, /FIRST/);
      for (const bad of [now + 1, -1, "x"]) await refused(api.raw("GET", `/v1/catalog?revision=${bad}`), 422);
      const gone = await answerOf(api.raw("POST", `/v1/flows/f@${now + 1}/runs`, { task: "go" }));
      assert.ok(gone.status === 404 || gone.status === 422, gone.text);
    },
  },
  {
    rule: "F72", name: "history newest first, diff of two revisions, rollback as a new revision with the old content",
    catalog: { agents: agents(said("a", "ONE LINE")), flows: { "f.yaml": one() } },
    model: { a: [done()] },
    async expect({ api, model }) {
      const then = (await api.get("/v1/catalog")).revision;
      await putText(api, "/v1/agents/a", said("a", "ANOTHER LINE"));
      await putText(api, "/v1/agents/new", agent("new"));
      const history = (await api.get("/v1/catalog/history?limit=2")).data;
      assert.deepEqual(history.map((r) => [r.revision, r.changes.map((c) => c.path)]), [[then + 2, ["agents/new.md"]], [then + 1, ["agents/a.md"]]]);
      const diff = await api.get(`/v1/catalog/diff?from=${then}&to=${then + 2}`);
      assert.deepEqual(diff.data.map((d) => [d.path, d.status]).sort(), [["agents/a.md", "changed"], ["agents/new.md", "added"]]);
      const text = JSON.stringify(diff.data.find((d) => d.path === "agents/a.md").diff);
      assert.match(text, /-ONE LINE/);
      assert.match(text, /\+ANOTHER LINE/);
      const back = await api.post("/v1/catalog/rollback", { revision: then });
      assert.equal(back.revision, then + 3);
      assert.match((await answerOf(api.raw("GET", "/v1/agents/a"))).text, /ONE LINE/);
      await refused(api.raw("GET", "/v1/agents/new"), 404);
      await follow(api, "f");
      assert.match(model.requests.at(-1).system, /ONE LINE/);
      assert.equal((await api.get(`/v1/catalog?revision=${then + 2}`)).data.some((r) => r.id === "new" && r.kind === "agent"), true, "what was rolled back is still there to go to");
      await refused(api.raw("POST", "/v1/catalog/rollback", { revision: then + 99 }), 422);
    },
  },
  {
    rule: "F72", name: "an export is exactly what a whole write takes: a round trip changes nothing",
    catalog: { agents: agents(agent("a", "skills: docs\n")), skills: { "docs/SKILL.md": "---\nname: docs\ndescription: d\n---\nx\n", "docs/deep/a.md": "A ✓\n" }, flows: { "legal/nda.yaml": flow("nda", "  - { id: s, type: agent, agent: a }\n  - { id: c, type: code, outputs: [n] }\n") }, code: { "legal/nda/c.ts": "export default (): { n: number } => ({ n: 1 })\n" } },
    async expect({ api }) {
      const files = async () => (await api.get("/v1/catalog")).data.filter((r) => r.tier === "local").map((r) => [r.kind, r.id, r.hash]);
      const before = await files();
      const bundle = await api.get("/v1/catalog/export");
      assert.deepEqual(Object.keys(bundle).sort(), ["agents", "code", "flows", "skills"]);
      assert.equal(bundle.skills["docs/deep/a.md"], "A ✓\n");
      assert.equal(bundle.code["legal/nda/c.ts"], "export default (): { n: number } => ({ n: 1 })\n");
      await api.putCatalog({});
      assert.deepEqual(await files(), []);
      await api.put("/v1/catalog", bundle);
      assert.deepEqual(await files(), before);
      assert.equal(JSON.stringify(bundle).includes("test-key"), false, "no secrets");
    },
  },
  {
    rule: "F73", name: "a stale If-Match is 412 with the current hash and writes nothing; the right one writes",
    catalog: { agents: agents(said("a", "FIRST")), flows: { "f.yaml": one() } },
    async expect({ api }) {
      const tag = async (path) => (await api.raw("GET", path)).headers.get("etag");
      const first = await tag("/v1/agents/a");
      assert.equal((await putText(api, "/v1/agents/a", said("a", "SECOND"), { "if-match": first })).status, 200);
      const second = await tag("/v1/agents/a");
      const stale = await refused(putText(api, "/v1/agents/a", said("a", "THIRD"), { "if-match": first }), 412);
      assert.equal(`"${stale.body.current}"`, second);
      assert.match((await answerOf(api.raw("GET", "/v1/agents/a"))).text, /SECOND/);
      await refused(api.raw("DELETE", "/v1/agents/a", undefined, { "if-match": first }), 412);
      await refused(putText(api, "/v1/agents/none", agent("none"), { "if-match": first }), 412);
      const two = await Promise.all(["LEFT", "RIGHT"].map((v) => putText(api, "/v1/agents/a", said("a", v), { "if-match": second })));
      assert.deepEqual(two.map((r) => r.status).sort(), [200, 412], "of two editors one wins");
      assert.equal((await api.raw("DELETE", "/v1/flows/f", undefined, { "if-match": await tag("/v1/flows/f") })).status, 204);
    },
  },
  {
    rule: "F73", name: "nothing is written when any diagnostic is an error: not one file of a bundle",
    catalog: { agents: agents(said("a", "FIRST")), flows: { "f.yaml": one() } },
    async expect({ api }) {
      const before = await api.get("/v1/catalog");
      const no = await refused(api.raw("PUT", "/v1/catalog", { agents: agents(said("a", "CHANGED"), agent("b")), flows: { "f.yaml": one(), "bad.yaml": one("nobody") } }), 422);
      assert.deepEqual(codes(no.body.diagnostics["flows/bad.yaml"]), ["FV-AGENT"]);
      assert.ok(no.body.errors.length >= 1);
      const after = await api.get("/v1/catalog");
      assert.deepEqual([after.revision, after.data.length], [before.revision, before.data.length]);
      assert.match((await answerOf(api.raw("GET", "/v1/agents/a"))).text, /FIRST/);
      const put = await refused(putText(api, "/v1/flows/bad", one("nobody")), 422);
      assert.deepEqual([put.body.written, put.body.path, codes(put.body.diagnostics)], [false, "flows/bad.yaml", ["FV-AGENT"]]);
      await refused(api.raw("GET", "/v1/flows/bad"), 404);
      await refused(api.raw("PUT", "/v1/catalog", {}), 422);
    },
  },
  {
    rule: "F74", name: "a file that no longer loads is listed with its diagnostics and breaks nothing else",
    catalog: { agents: agents(agent("a"), agent("gone")), flows: { "broken.yaml": flow("broken", "  - { id: s, type: agent, agent: gone }\n"), "fine.yaml": flow("fine", "  - { id: s, type: agent, agent: a }\n") } },
    model: { a: [done("ran")] },
    async expect({ api }) {
      assert.equal((await api.raw("DELETE", "/v1/agents/gone?force=1")).status, 204);
      const broken = (await api.get("/v1/flows")).data.find((r) => r.id === "broken");
      assert.deepEqual(codes(broken.diagnostics), ["FV-AGENT"]);
      assert.equal((await api.raw("GET", "/v1/flows/broken")).status, 200, "it can still be read and mended");
      await refused(api.raw("POST", "/v1/flows/broken/runs", { task: "go" }), 422, /gone/);
      assert.equal((await follow(api, "fine")).run.steps.s.summary, "ran");
      assert.equal((await putText(api, "/v1/agents/more", agent("more"))).status, 200, "writes go on");
      assert.equal((await putText(api, "/v1/agents/gone", agent("gone"))).status, 200);
      assert.deepEqual(codes((await api.get("/v1/flows")).data.find((r) => r.id === "broken").diagnostics), []);
    },
  },
];
