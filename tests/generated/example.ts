// README's first example with a generated client: save a memory, and find it again.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Hit = components["schemas"]["Hit"];

const hub = createClient<paths>({
  baseUrl: process.env["MEMORYHUB_URL"] ?? "",
  headers: { Authorization: `Bearer ${process.env["MEMORYHUB_TOKEN"]}` },
});

const saved = await hub.POST("/api/v1/memories", {
  body: { content: "Deploys are frozen from Friday noon.", key: "deploy-freeze", type: "decision", tags: ["release"] },
});
if (!saved.data) throw new Error(saved.error.detail);
const id: string = saved.data.id;
const version: number = saved.data.version;
const address: string | null = saved.response.headers.get("Location");

const recalled = await hub.POST("/api/v1/recall", { body: { query: "when may we not deploy?", limit: 5 } });
if (!recalled.data) throw new Error(recalled.error.detail);
const hits: Hit[] = recalled.data.memories;
const scores: number[] = hits.map((hit) => hit.relevance_score);
console.log(JSON.stringify({ id, version, address, scores, contents: hits.map((hit) => hit.content) }));
