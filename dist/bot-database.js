// bot/store/embedded-thread.ts
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import * as z from "zod";
if (parentPort === null) throw new Error("This file is started by bot/store/embedded.ts, as a thread.");
var port = parentPort;
var { folder } = z.object({ folder: z.string().optional() }).parse(workerData);
var pglite = await PGlite.create(folder === void 0 ? {} : { dataDir: folder });
var open = /* @__PURE__ */ new Map();
port.on("message", (request) => {
  void answer(request).then((reply) => port.postMessage(reply));
});
port.postMessage({ id: 0, kind: "rows", rows: [] });
async function answer(request) {
  try {
    return { id: request.id, kind: "rows", rows: await rowsFor(request) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : void 0;
    const message = error instanceof Error ? error.message : String(error);
    return { id: request.id, kind: "error", message, ...code !== void 0 && { code } };
  }
}
async function rowsFor(request) {
  switch (request.kind) {
    case "query": {
      const runner = request.transaction === void 0 ? pglite : opened(request.transaction).transaction;
      const { rows } = await runner.query(request.text, [...request.values]);
      return rows;
    }
    case "script":
      return script(request.text);
    case "begin":
      await begin(request.id);
      return [];
    case "end":
      await opened(request.transaction).end(request.how);
      return [];
    case "close":
      await pglite.close();
      return [];
  }
}
async function script(text) {
  try {
    const results = await pglite.exec(text);
    return results.flatMap(({ rows }) => rows);
  } catch (error) {
    await pglite.exec("ROLLBACK");
    throw error;
  }
}
function begin(id) {
  const begun = Promise.withResolvers();
  const ended = Promise.withResolvers();
  const over = pglite.transaction(async (transaction) => {
    const end = (how) => {
      open.delete(id);
      ended.resolve(how);
      return over;
    };
    open.set(id, { transaction, end });
    begun.resolve();
    if (await ended.promise === "rollback") await transaction.rollback();
  }).catch((error) => {
    begun.reject(error);
    throw error;
  });
  over.catch(() => {
  });
  return begun.promise;
}
function opened(id) {
  const one = open.get(id);
  if (one === void 0) throw new Error("The transaction is over.");
  return one;
}
