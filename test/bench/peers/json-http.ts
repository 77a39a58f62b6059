import { Agent, request } from "node:http";

/** JSON over one connection that is kept, as lean as Node has it. */
export function jsonHttp(origin: string, headers: Record<string, string> = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const call = <T>(method: "GET" | "POST", path: string, body?: unknown): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = text
      ? { ...headers, "content-type": "application/json", "content-length": text.length }
      : headers;
    const outgoing = request(`${origin}${path}`, { method, agent, headers: sent }, (response) => {
      let reply = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        reply += chunk;
      });
      response.on("end", () => {
        if (response.statusCode === 200) resolve(JSON.parse(reply) as T);
        else reject(new Error(`${path}: ${response.statusCode} ${reply}`));
      });
    });
    outgoing.once("error", reject);
    outgoing.end(text);
    return promise;
  };
  return { call, close: () => agent.destroy() };
}
